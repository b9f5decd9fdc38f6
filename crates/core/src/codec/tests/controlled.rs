//! The real x264 under rate control of our own: the bound, refinement, the baseline.

use super::{at, missing, unit};
use crate::codec::testing::content::{Content, Motion, to_picture};
use crate::codec::{Ask, Choice, CodecError, Config, Encoded, Encoder, Tuning, open};
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
fn x264_keeps_the_bound_on_every_motion_at_every_rate_and_across_a_change() {
    if let Err(CodecError::NoEncoder(words)) = open(Choice::X264, &Config::new(64, 64)) {
        missing(&words, false);
        return;
    }
    let content = Content::drawn(WIDTH, HEIGHT, 3);
    for motion in Motion::ALL {
        let shots = shots(&content, motion, 80);
        // A 36th of 1, 4 and 8 Mbit/s.
        for rate in [28_000, 111_000, 222_000] {
            let config = Config {
                bits_per_second: rate,
                ..Config::new(WIDTH, HEIGHT)
            };
            let mut encoder = open(Choice::X264, &config).expect("it opens");
            let sent = play(&mut *encoder, &shots, |_, _| {});
            let worst = worst_two_seconds(&sent, |_| f64::from(rate));
            assert!(worst <= 1.25, "{} at {rate}: {worst:.2}", motion.name());
            assert!(
                sent.len() >= 2,
                "{} at {rate}: it sends {}",
                motion.name(),
                sent.len()
            );
        }
        let config = Config {
            bits_per_second: 222_000,
            ..Config::new(WIDTH, HEIGHT)
        };
        let mut encoder = open(Choice::X264, &config).expect("it opens");
        let sent = play(&mut *encoder, &shots, |encoder, index| {
            if index == 40 {
                encoder.set_bitrate(56_000);
            }
        });
        let changed = at(40).arrival_us;
        let worst = worst_two_seconds(&sent, |now| if now < changed { 222e3 } else { 56e3 });
        assert!(
            worst <= 1.25,
            "{} across a change: {worst:.2}",
            motion.name()
        );
    }
}

#[test]
fn x264_refines_a_still_picture_and_then_wants_nothing() {
    let config = Config {
        bits_per_second: 75_000,
        ..Config::new(WIDTH, HEIGHT)
    };
    let Ok(mut encoder) = open(Choice::X264, &config) else {
        missing("libx264", false);
        return;
    };
    let frames: Vec<_> = Content::drawn(WIDTH, HEIGHT, 3)
        .frames(Motion::Slide, 8)
        .collect();
    for (index, frame) in frames.iter().enumerate() {
        encoder
            .encode(&to_picture(&frame.rgb), at(index))
            .expect("it encodes");
    }
    let last = to_picture(&frames[7].rgb);
    let (mut refined, mut now) = (0, at(8).arrival_us);
    while encoder.wants_refinement() && refined < 30 {
        now += 100_000;
        let ask = Ask {
            refine: true,
            dirty: 0.0,
            ..Ask::at(now)
        };
        refined += usize::from(encoder.encode(&last, ask).expect("it encodes") != Encoded::Skipped);
    }
    // A picture left out in motion is sent first, and is no refinement.
    assert!((1..=4).contains(&refined), "{refined}");
    assert!(!encoder.wants_refinement());
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
