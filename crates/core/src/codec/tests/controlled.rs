//! The real encoders under rate control of our own: the bound, refinement, load steps, the baseline.

use super::{at, encoders, missing, unit};
use crate::codec::bitstream::check_unit;
use crate::codec::testing::content::{Content, Motion, to_picture};
use crate::codec::{Ask, Choice, Config, Encoded, Encoder, Tuning, open};
use crate::frames::Picture;

/// A 36th of a phone's pixels: what a test in a build without optimization can draw.
const WIDTH: usize = 180;
const HEIGHT: usize = 400;

/// A picture with its scroll distance and its fraction of changed rows.
type Shot = (Picture, Option<i32>, f32);

fn shots(content: &Content, motion: Motion, count: usize) -> Vec<Shot> {
    content
        .frames(motion, count)
        .map(|frame| (to_picture(&frame.rgb), frame.scroll, frame.dirty))
        .collect()
}

/// Sends pictures, asking for a key frame once a second, and gives what was sent as (microseconds, bits).
fn play(
    encoder: &mut dyn Encoder,
    shots: &[Shot],
    mut change: impl FnMut(&mut dyn Encoder, usize),
) -> Vec<(u64, u64)> {
    let mut sent = Vec::new();
    for (index, (picture, scroll, dirty)) in shots.iter().enumerate() {
        change(encoder, index);
        let ask = Ask {
            key: index % 32 == 31,
            scroll: *scroll,
            dirty: *dirty,
            ..at(index)
        };
        match encoder.encode(picture, ask).expect("it encodes") {
            Encoded::Unit(unit) => sent.push((ask.arrival_us, unit.data.len() as u64 * 8)),
            Encoded::Skipped => {}
        }
    }
    sent
}

fn worst_two_seconds(sent: &[(u64, u64)], rate_at: impl Fn(u64) -> f64) -> f64 {
    let share = |&(end, _): &(u64, u64)| {
        let begin = end.saturating_sub(2_000_000);
        let bits: u64 = sent
            .iter()
            .filter(|(at, _)| (begin..=end).contains(at))
            .map(|(_, bits)| bits)
            .sum();
        let allowed: f64 = (0..2000)
            .map(|step| rate_at(begin + step * 1000) * 0.001)
            .sum();
        bits as f64 / allowed
    };
    sent.iter().map(share).fold(0.0, f64::max)
}

#[test]
fn both_encoders_keep_the_bound_on_every_motion_at_every_rate_and_across_a_change() {
    let content = Content::drawn(WIDTH, HEIGHT, 3);
    for motion in Motion::ALL {
        let shots = shots(&content, motion, 80);
        // A 36th of 1, 4 and 8 Mbit/s.
        for rate in [28_000, 111_000, 222_000] {
            let config = Config {
                bits_per_second: rate,
                ..Config::new(WIDTH, HEIGHT)
            };
            for mut encoder in encoders(&config) {
                let sent = play(&mut *encoder, &shots, |_, _| {});
                let worst = worst_two_seconds(&sent, |_| f64::from(rate));
                let case = format!("{}, {} at {rate}", encoder.name(), motion.name());
                assert!(worst <= 1.25, "{case}: {worst:.2}");
                assert!(sent.len() >= 2, "{case}: it sends {}", sent.len());
            }
        }
        let config = Config {
            bits_per_second: 222_000,
            ..Config::new(WIDTH, HEIGHT)
        };
        for mut encoder in encoders(&config) {
            let sent = play(&mut *encoder, &shots, |encoder, index| {
                if index == 40 {
                    encoder.set_bitrate(56_000);
                }
            });
            let changed = at(40).arrival_us;
            let worst = worst_two_seconds(&sent, |now| if now < changed { 222e3 } else { 56e3 });
            let case = format!("{}, {} across a change", encoder.name(), motion.name());
            assert!(worst <= 1.25, "{case}: {worst:.2}");
        }
    }
}

#[test]
fn under_load_each_encoder_goes_on_with_units_that_decode() {
    for mut encoder in encoders(&Config::new(WIDTH, HEIGHT)) {
        for (index, step) in [0, 0, 1, 2, 2, 3, 0, 0].into_iter().enumerate() {
            encoder.set_load_step(step);
            let unit = unit(&mut *encoder, &Picture::new(WIDTH, HEIGHT), at(index));
            let info = check_unit(&unit.data).expect("it is whole");
            let camera = encoder.name() == "OpenH264" && matches!(index, 3 | 6);
            assert_eq!(
                info.key,
                index == 0 || camera,
                "{} at {index}",
                encoder.name()
            );
        }
    }
}

#[test]
fn a_still_picture_is_refined_and_then_left_alone() {
    let config = Config {
        bits_per_second: 75_000,
        ..Config::new(WIDTH, HEIGHT)
    };
    let shots = shots(&Content::drawn(WIDTH, HEIGHT, 3), Motion::Slide, 8);
    for mut encoder in encoders(&config) {
        play(&mut *encoder, &shots, |_, _| {});
        let (mut refined, mut now) = (0, at(8).arrival_us);
        while encoder.wants_refinement() && refined < 30 {
            now += 100_000;
            let ask = Ask {
                refine: true,
                dirty: 0.0,
                ..Ask::at(now)
            };
            let encoded = encoder.encode(&shots[7].0, ask).expect("it encodes");
            refined += usize::from(encoded != Encoded::Skipped);
        }
        // A picture left out in motion is sent first, and is no refinement.
        assert!((1..=4).contains(&refined), "{}: {refined}", encoder.name());
        assert!(!encoder.wants_refinement());
    }
}

#[test]
fn the_baseline_is_x264s_own_rate_control() {
    let config = Config {
        tuning: Tuning::AbrBaseline,
        ..Config::new(WIDTH, HEIGHT)
    };
    let Ok(mut encoder) = open(Choice::X264, &config) else {
        missing("libx264", false);
        return;
    };
    for index in 0..4 {
        encoder.set_bitrate(2_000_000 + 500_000 * u32::try_from(index).unwrap_or(0));
        unit(&mut *encoder, &Picture::new(WIDTH, HEIGHT), at(index));
    }
    assert!(!encoder.wants_refinement(), "it has no idea of stillness");
}
