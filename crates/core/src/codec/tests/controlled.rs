//! The real encoders under rate control of our own: the bound, refinement, load steps, the baseline.

use super::{at, encoders, missing, unit};
use crate::codec::bitstream::check_unit;
use crate::codec::testing::content::{Content, Motion};
use crate::codec::testing::rates::{BOUND, Course, longest_freeze_us, play, shots};
use crate::codec::{Ask, Choice, Config, Encoded, Tuning, open};
use crate::frames::Picture;

/// A 36th of a phone's pixels: what a test in a build without optimization can draw.
const WIDTH: usize = 180;
const HEIGHT: usize = 400;

/// A picture every 1/32 s; a viewer joins each second.
const COURSE: Course = Course {
    interval_us: 31_250,
    key_every: 32,
    rate: 0,
    later: 0,
};
/// Shares of a phone's 1, 4 and 8 Mbit/s that a picture of this size gets, and what 2 Mbit/s are of it.
const RATES: [(u32, u32); 4] = [
    (28_000, 28_000),
    (111_000, 111_000),
    (222_000, 222_000),
    (222_000, 56_000),
];

#[test]
fn both_encoders_keep_the_bound_and_never_freeze_for_long_on_any_motion_at_any_rate_or_across_a_change()
 {
    let content = Content::drawn(WIDTH, HEIGHT, 3);
    for motion in Motion::ALL {
        let shots = shots(&content, motion, 128);
        for (rate, later) in RATES {
            let config = Config {
                bits_per_second: rate,
                ..Config::new(WIDTH, HEIGHT)
            };
            for mut encoder in encoders(&config) {
                let course = Course {
                    rate,
                    later,
                    ..COURSE
                };
                let account = play(&mut *encoder, &shots, course).expect("it encodes");
                let case = format!(
                    "{}, {} at {rate}, later {later}",
                    encoder.name(),
                    motion.name()
                );
                let (most, freeze_us) = (account.most_bits, account.freeze_us);
                assert!(
                    most <= BOUND,
                    "{case}: {most:.3} of the rate in two seconds"
                );
                assert!(
                    freeze_us <= longest_freeze_us(motion),
                    "{case}: {freeze_us} us frozen"
                );
            }
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
        for (index, shot) in shots.iter().enumerate() {
            let ask = Ask {
                dirty: shot.dirty,
                ..at(index)
            };
            encoder.encode(&shot.picture, ask).expect("it encodes");
        }
        let (mut refined, mut now) = (0, at(8).arrival_us);
        while encoder.wants_refinement() && refined < 30 {
            now += 100_000;
            let ask = Ask {
                refine: true,
                dirty: 0.0,
                ..Ask::at(now)
            };
            let encoded = encoder.encode(&shots[7].picture, ask).expect("it encodes");
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
