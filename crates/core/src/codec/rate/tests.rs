use super::{COARSEST, FLOOR, Plan, REFINED, Rate, SCROLL_FLOOR, Scene, Seen, Verdict};
use crate::codec::testing::Random;

const SECOND: u64 = 1_000_000;
const FRAME: u64 = SECOND / 32;

/// An encoder of which only the sizes count: bits follow the scene by a law that rate control does not know.
struct Model {
    key_cost: f64,
    change_cost: f64,
    halving: f64,
}

impl Model {
    const SCREEN: Self = Self {
        key_cost: 0.15,
        change_cost: 0.008,
        halving: 8.5,
    };
    const NOISE: Self = Self {
        key_cost: 0.12,
        change_cost: 0.12,
        halving: 6.0,
    };

    fn bits(&self, scene: &Scene, qp: u8, key: bool) -> u64 {
        let size = if key {
            self.key_cost * scene.seen.detail
        } else {
            self.change_cost * scene.seen.change
        };
        (size * ((26.0 - f64::from(qp)) / self.halving).exp2()) as u64 + 2000
    }
}

fn scene(now_us: u64, change: f64) -> Scene {
    Scene {
        now_us,
        seen: Seen {
            change,
            detail: 6.5e6,
        },
        ..Scene::default()
    }
}

/// Plans, encodes by the model and judges, as an encoder does; what was sent is (quantizer, bits).
fn step(rate: &mut Rate, model: &Model, scene: &Scene) -> Option<(u8, u64)> {
    let Plan::Encode { qp, key } = rate.plan(scene) else {
        return None;
    };
    let bits = model.bits(scene, qp, key);
    match rate.judge(scene, qp, key, bits, false) {
        Verdict::Send => Some((qp, bits)),
        Verdict::Drop => None,
        Verdict::Again { qp } => {
            let bits = model.bits(scene, qp, true);
            (rate.judge(scene, qp, true, bits, true) == Verdict::Send).then_some((qp, bits))
        }
    }
}

/// The most that any two seconds carry, as a share of what the rate in force gives.
fn worst_two_seconds(sent: &[(u64, u64)], rate_at: impl Fn(u64) -> f64) -> f64 {
    sent.iter()
        .map(|&(end, _)| {
            let begin = end.saturating_sub(2 * SECOND);
            let bits: u64 = sent
                .iter()
                .filter(|(at, _)| (begin..=end).contains(at))
                .map(|(_, bits)| bits)
                .sum();
            let allowed: f64 = (0..2000).map(|at| rate_at(begin + at * 1000) * 0.001).sum();
            bits as f64 / allowed
        })
        .fold(0.0, f64::max)
}

#[test]
fn no_two_seconds_carry_more_than_a_quarter_over_the_rate_whatever_comes() {
    for (seed, bits_per_second) in
        (0..60).zip([1_000_000, 4_000_000, 8_000_000].into_iter().cycle())
    {
        let mut random = Random::new(seed);
        let mut rate = Rate::new(bits_per_second);
        let (mut sent, mut now) = (Vec::new(), 5 * SECOND);
        for at in 0..400 {
            let model = if at / 80 % 2 == 1 {
                Model::NOISE
            } else {
                Model::SCREEN
            };
            let mut scene = scene(now, random.below(240_000_000) as f64);
            scene.key = random.below(25) == 0;
            scene.scroll = random.below(2) == 0;
            scene.little = random.below(2) == 0;
            scene.refine = random.below(12) == 0;
            if at / 80 % 2 == 1 {
                scene.seen = Seen {
                    change: 142e6,
                    detail: 142e6,
                };
            }
            if let Some((_, bits)) = step(&mut rate, &model, &scene) {
                sent.push((now, bits));
            }
            now += [FRAME, FRAME / 2, FRAME * 4, FRAME * 40][random.below(40).saturating_sub(36)];
        }
        let worst = worst_two_seconds(&sent, |_| f64::from(bits_per_second));
        assert!(
            worst <= 1.25,
            "seed {seed} at {bits_per_second}: {worst:.3}"
        );
        assert!(sent.len() > 20, "seed {seed}: it sends {}", sent.len());
    }
}

#[test]
fn the_bound_holds_across_changes_of_rate() {
    let rates = [8_000_000, 1_000_000, 4_000_000, 500_000, 8_000_000];
    let rate_at = |now: u64| {
        f64::from(
            rates[usize::try_from(now / SECOND / 3)
                .unwrap_or(0)
                .min(rates.len() - 1)],
        )
    };
    let mut rate = Rate::new(rates[0]);
    let mut sent = Vec::new();
    for at in 0..15 * 32 {
        let now = at * FRAME;
        if at > 0 && rate_at(now) != rate_at(now - FRAME) {
            rate.set_rate(rate_at(now) as u32);
        }
        let scene = Scene {
            key: at % 50 == 0,
            ..scene(now, 60e6)
        };
        if let Some((_, bits)) = step(&mut rate, &Model::SCREEN, &scene) {
            sent.push((now, bits));
        }
    }
    // The stream's first two seconds have no past to share with.
    let worst = worst_two_seconds(&sent[64..], rate_at);
    assert!(worst <= 1.25, "{worst:.3}");
    let freeze = sent.windows(2).map(|pair| pair[1].0 - pair[0].0).max();
    assert!(
        freeze < Some(SECOND),
        "a lower rate freezes nothing for long: {freeze:?}"
    );
}

#[test]
fn light_content_stays_at_the_floor_and_takes_no_more_than_it_needs() {
    let mut rate = Rate::new(8_000_000);
    for at in 0..64 {
        let (qp, _) =
            step(&mut rate, &Model::SCREEN, &scene(SECOND + at * FRAME, 4e6)).expect("it fits");
        assert_eq!(f64::from(qp), FLOOR);
    }
}

#[test]
fn the_floor_is_that_of_a_refined_picture_while_little_changes_and_higher_while_a_page_scrolls() {
    for (little, scroll, floor) in [
        (true, false, REFINED),
        (false, false, FLOOR),
        (false, true, SCROLL_FLOOR),
    ] {
        let mut rate = Rate::new(8_000_000);
        let mut last = 0;
        for at in 0..32 {
            let scene = Scene {
                little,
                scroll,
                ..scene(SECOND + at * FRAME, 1e6)
            };
            last = step(&mut rate, &Model::SCREEN, &scene).expect("it fits").0;
        }
        assert_eq!(f64::from(last), floor, "little {little}, scroll {scroll}");
    }
}

#[test]
fn an_overshoot_raises_the_next_quantizer_at_once() {
    let mut rate = Rate::new(4_000_000);
    step(&mut rate, &Model::SCREEN, &scene(SECOND, 0.0)).expect("the key fits");
    let heavy = Model {
        change_cost: 0.08,
        ..Model::SCREEN
    };
    let (first, _) = step(&mut rate, &heavy, &scene(2 * SECOND, 40e6)).expect("it goes out");
    let (second, _) =
        step(&mut rate, &heavy, &scene(2 * SECOND + FRAME, 40e6)).expect("it goes out");
    assert!(second >= first + 6, "{first} then {second}");
}

#[test]
fn a_key_frame_has_the_quantizer_of_the_picture_before() {
    let mut rate = Rate::new(8_000_000);
    step(&mut rate, &Model::SCREEN, &scene(SECOND, 0.0)).expect("the first fits");
    let (before, _) = step(&mut rate, &Model::SCREEN, &scene(2 * SECOND, 150e6)).expect("it fits");
    let key = Scene {
        key: true,
        ..scene(4 * SECOND, 0.0)
    };
    let (after, bits) = step(&mut rate, &Model::SCREEN, &key).expect("it fits");
    assert_eq!(after, before);
    assert!(bits > 500_000, "it is a key frame: {bits}");
}

#[test]
fn a_still_picture_is_refined_at_falling_quantizers_and_then_left_alone() {
    let mut rate = Rate::new(4_000_000);
    step(&mut rate, &Model::SCREEN, &scene(SECOND, 0.0)).expect("the key fits");
    let mut last = 0;
    for at in 0..20 {
        last = step(
            &mut rate,
            &Model::SCREEN,
            &scene(SECOND + at * FRAME, 150e6),
        )
        .map_or(last, |(qp, _)| qp);
    }
    assert!(f64::from(last) > REFINED + 4.0, "motion was coarse: {last}");
    let (mut now, mut refined) = (10 * SECOND, Vec::new());
    while rate.wants_refinement() && refined.len() < 10 {
        let scene = Scene {
            refine: true,
            ..scene(now, 0.0)
        };
        refined.extend(step(&mut rate, &Model::SCREEN, &scene).map(|(qp, _)| qp));
        now += SECOND / 10;
    }
    assert!(
        (1..=3).contains(&refined.len()) && refined.is_sorted_by(|a, b| a > b),
        "{refined:?}"
    );
    assert_eq!(refined.last().copied().map(f64::from), Some(REFINED));
    let again = Scene {
        refine: true,
        ..scene(now, 0.0)
    };
    assert_eq!(
        rate.plan(&again),
        Plan::Skip,
        "a refinement that no one needs costs nothing"
    );
}

#[test]
fn a_picture_left_out_is_counted_and_sent_when_the_bucket_has_drained() {
    let mut rate = Rate::new(1_000_000);
    let noise = |now| Scene {
        seen: Seen {
            change: 142e6,
            detail: 142e6,
        },
        ..scene(now, 0.0)
    };
    let mut left_out = 0;
    for at in 0..10 {
        left_out +=
            u64::from(step(&mut rate, &Model::NOISE, &noise(SECOND + at * FRAME)).is_none());
    }
    assert!(left_out > 0 && rate.skipped() == left_out, "{left_out}");
    assert!(rate.wants_refinement(), "viewers see an old picture");
    let last = Scene {
        refine: true,
        ..noise(6 * SECOND)
    };
    assert!(step(&mut rate, &Model::NOISE, &last).is_some());
}

#[test]
fn a_key_frame_that_was_left_out_is_owed() {
    let mut rate = Rate::new(1_000_000);
    let noise = |now| Scene {
        seen: Seen {
            change: 142e6,
            detail: 142e6,
        },
        ..scene(now, 0.0)
    };
    for at in 0..10 {
        step(&mut rate, &Model::NOISE, &noise(SECOND + at * FRAME));
    }
    let now = SECOND + 10 * FRAME;
    assert_eq!(
        rate.plan(&Scene {
            key: true,
            ..noise(now)
        }),
        Plan::Skip
    );
    assert!(matches!(
        rate.plan(&scene(now + 4 * SECOND, 1e6)),
        Plan::Encode { key: true, .. }
    ));
}

#[test]
fn each_load_step_raises_the_floor_in_motion() {
    let mut rate = Rate::new(8_000_000);
    step(&mut rate, &Model::SCREEN, &scene(SECOND, 0.0)).expect("the first fits");
    let mut last = FLOOR;
    for load in 1..=3 {
        rate.set_load_step(load);
        let now = SECOND * u64::from(load) * 2;
        let (qp, _) = step(&mut rate, &Model::SCREEN, &scene(now, 2e6)).expect("it fits");
        assert!(f64::from(qp) > last, "step {load}: {qp}");
        last = f64::from(qp);
    }
    assert!(last < COARSEST);
}

#[test]
fn a_clock_that_goes_back_and_numbers_from_nowhere_are_survived() {
    let mut random = Random::new(9);
    let mut rate = Rate::new(0);
    for _ in 0..10_000 {
        let scene = Scene {
            now_us: random.next_u64() >> random.below(64),
            key: random.below(3) == 0,
            refine: random.below(3) == 0,
            scroll: random.below(3) == 0,
            little: random.below(3) == 0,
            seen: Seen {
                change: random.next_u64() as f64,
                detail: random.below(5) as f64 * 1e18,
            },
        };
        if let Plan::Encode { qp, key } = rate.plan(&scene) {
            assert!((10..=50).contains(&qp));
            rate.judge(
                &scene,
                qp,
                key,
                random.next_u64() >> random.below(64),
                random.below(2) == 0,
            );
        }
    }
}

#[test]
fn a_second_viewer_just_after_another_gets_its_key_frame_at_once() {
    let mut rate = Rate::new(8_000_000);
    for at in [0, 1000, 1050, 1100, 1350] {
        let key = Scene {
            key: true,
            ..scene(SECOND + at * 1000, 0.0)
        };
        assert!(
            step(&mut rate, &Model::SCREEN, &key).is_some(),
            "after {at} ms"
        );
    }
}
