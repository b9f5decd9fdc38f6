//! What is encoded, when, and what is not.

use std::sync::atomic::Ordering;

use super::rig::{Rig, SHAPE, luma};
use crate::frames::Layout;
use crate::pipeline::{Event, HALF_RATE};

#[test]
fn the_first_picture_is_a_key_unit_with_its_size_generation_and_clocks() {
    let rig = Rig::new();
    rig.pipeline.streaming(true);
    rig.show_in(
        Layout {
            width: 33,
            height: 21,
            ..SHAPE
        },
        7,
        200,
    );
    let unit = rig.unit();
    assert!(unit.unit.key && !unit.refinement);
    assert_eq!((unit.width, unit.height, unit.generation), (33, 21, 7));
    assert_eq!(unit.unit.data, [luma(200)]);
    let stamps = unit.stamps;
    assert!(stamps.capture_us <= stamps.converted_us && stamps.converted_us <= stamps.encoded_us);
    assert_eq!(
        rig.pipeline.encoder(),
        Some(("obedient".to_owned(), "1".to_owned()))
    );
}

#[test]
fn an_unchanged_frame_is_found_before_encoding_and_is_no_change() {
    let rig = Rig::streaming();
    rig.told();
    for _ in 0..5 {
        rig.show(10);
        rig.settle();
    }
    rig.no_unit();
    assert_eq!(rig.pipeline.stats().frames_unchanged, 5);
    assert_eq!(rig.changes(), 0);
    rig.show(11);
    assert_eq!(rig.unit().unit.data, [luma(11)]);
    assert_eq!(rig.changes(), 1);
}

#[test]
fn without_streaming_nothing_is_encoded_but_changes_are_told() {
    let rig = Rig::new();
    for grey in 0..4 {
        rig.show(grey * 20);
        rig.settle();
    }
    rig.no_unit();
    assert!(rig.asks().is_empty());
    assert_eq!(rig.changes(), 4);
    rig.pipeline.streaming(true);
    let unit = rig.unit();
    assert!(unit.unit.key);
    assert_eq!(unit.unit.data, [luma(60)], "the newest picture");
    rig.pipeline.streaming(false);
    rig.show(90);
    rig.no_unit();
    assert_eq!(rig.changes(), 1);
    rig.pipeline.streaming(true);
    assert!(
        rig.unit().unit.key,
        "a viewer that comes back starts with a key frame"
    );
}

#[test]
fn the_newest_frame_wins_while_the_encoder_is_busy_and_every_frame_is_accounted_for() {
    let rig = Rig::streaming();
    rig.orders.shut();
    rig.show(20);
    rig.orders.until_inside();
    for grey in 21..=40 {
        rig.show(grey);
    }
    rig.until(|| rig.pipeline.stats().frames_replaced == 19);
    rig.orders.open();
    assert_eq!(rig.unit().unit.data, [luma(20)]);
    assert_eq!(rig.unit().unit.data, [luma(40)], "the newest");
    rig.no_unit();
    let stats = rig.pipeline.stats();
    assert_eq!(
        stats.frames_in,
        stats.units_out + stats.frames_replaced + stats.frames_unchanged
    );
}

#[test]
fn a_frame_that_waits_survives_an_unchanged_one_read_over_it() {
    let rig = Rig::streaming();
    rig.orders.shut();
    rig.show(20);
    rig.orders.until_inside();
    rig.show(30);
    rig.until_changed(3);
    rig.show(30);
    rig.until(|| rig.pipeline.stats().frames_unchanged == 1);
    rig.orders.open();
    assert_eq!(rig.unit().unit.data, [luma(20)]);
    assert_eq!(rig.unit().unit.data, [luma(30)]);
    assert_eq!(rig.pipeline.stats().frames_replaced, 0);
}

#[test]
fn a_key_frame_is_the_last_picture_again_on_a_still_screen() {
    let rig = Rig::streaming();
    rig.settle();
    rig.told();
    for _ in 0..3 {
        rig.pipeline.keyframe();
        let unit = rig.unit();
        assert!(unit.unit.key && !unit.refinement);
        assert_eq!(unit.unit.data, [luma(10)]);
    }
    assert_eq!(rig.changes(), 0);
    assert_eq!(rig.pipeline.stats().key_frames, 4);
}

#[test]
fn a_new_generation_opens_a_new_encoder_of_its_size_with_a_key_frame() {
    let rig = Rig::streaming();
    let turned = Layout {
        width: 40,
        height: 80,
        ..SHAPE
    };
    rig.show_in(turned, 2, 50);
    let unit = rig.unit();
    assert!(unit.unit.key);
    assert_eq!((unit.width, unit.height, unit.generation), (40, 80, 2));
    rig.show_in(turned, 3, 50);
    let unit = rig.unit();
    assert!(unit.unit.key, "the same picture in a new generation");
    assert_eq!(unit.generation, 3);
    assert_eq!(rig.orders.opened.load(Ordering::SeqCst), 3);
    rig.settle();
    assert_eq!(
        rig.orders.closed.load(Ordering::SeqCst),
        2,
        "the old encoders are closed"
    );
}

#[test]
fn what_changed_and_how_far_it_scrolled_is_told_to_the_encoder() {
    let rig = Rig::new();
    rig.pipeline.streaming(true);
    let shape = Layout {
        width: 64,
        height: 400,
        ..SHAPE
    };
    let page = |top: usize| -> Vec<u8> {
        (top..top + 400)
            .flat_map(|row| {
                [
                    (row * 37 % 251) as u8,
                    (row * 11 % 241) as u8,
                    (row % 239) as u8,
                ]
                .repeat(64)
            })
            .collect()
    };
    rig.pipeline
        .push(rig.notice(shape, 1), &page(100))
        .expect("a frame");
    rig.unit();
    rig.pipeline
        .push(rig.notice(shape, 1), &page(123))
        .expect("a frame");
    rig.unit();
    let mut caret = page(123);
    caret[64 * 3 * 50] ^= 255;
    rig.pipeline
        .push(rig.notice(shape, 1), &caret)
        .expect("a frame");
    rig.unit();
    let asks = rig.asks();
    assert_eq!(asks[0].scroll, None);
    assert_eq!(asks[1].scroll, Some(-23), "the content moved up");
    assert!(asks[1].dirty > 0.9);
    assert_eq!((asks[2].scroll, asks[2].dirty), (None, 1.0 / 400.0));
    let stayed = |ask: usize| {
        (0..25)
            .filter(|&band| asks[ask].unchanged.has(band))
            .count()
    };
    assert_eq!([0, 1, 2].map(stayed), [0, 0, 24]);
    assert!(!asks[2].unchanged.has(50 / 16));
    assert_eq!(asks[2].arrival_us, 1_000_000_000);
}

#[test]
fn a_picture_that_rate_control_skips_is_tried_again_and_counted() {
    let rig = Rig::streaming();
    rig.orders.skips.store(1, Ordering::SeqCst);
    rig.show(30);
    rig.no_unit();
    assert_eq!(rig.pipeline.stats().frames_skipped, 1);
    rig.advance(33);
    assert_eq!(
        rig.unit().unit.data,
        [luma(30)],
        "the last picture of a motion is seen in the end"
    );
    rig.orders.skips.store(1, Ordering::SeqCst);
    rig.show(40);
    rig.no_unit();
    rig.show(50);
    assert_eq!(
        rig.unit().unit.data,
        [luma(50)],
        "a newer one needs no wait"
    );
}

#[test]
fn a_key_frame_that_rate_control_skips_is_tried_again_on_the_clock_and_arrives_anew() {
    let rig = Rig::streaming();
    rig.settle();
    rig.orders.skips.store(3, Ordering::SeqCst);
    rig.pipeline.keyframe();
    rig.no_unit();
    assert_eq!(rig.asks().len(), 2, "tried once, not over and over");
    for _ in 0..3 {
        rig.advance(33);
        rig.settle();
    }
    assert!(rig.unit().unit.key);
    let arrivals: Vec<u64> = rig
        .asks()
        .iter()
        .skip(1)
        .map(|ask| ask.arrival_us)
        .collect();
    assert_eq!(
        arrivals,
        [0, 33, 66, 99].map(|ms| 1_000_000_000 + ms * 1000)
    );
    assert_eq!(
        rig.pipeline.stats().frames_skipped,
        0,
        "no frame was skipped, only a request waited"
    );
}

#[test]
fn a_unit_that_finds_no_room_is_followed_by_a_key_frame_of_the_newest_picture() {
    let rig = Rig::streaming();
    rig.refuse(1);
    rig.show(20);
    rig.until(|| rig.pipeline.stats().units_dropped == 1);
    for grey in 21..30 {
        rig.show(grey);
        rig.settle();
    }
    rig.no_unit();
    assert_eq!(
        rig.asks().len(),
        2,
        "nothing is encoded while there is no room"
    );
    rig.make_room();
    let unit = rig.unit();
    assert!(unit.unit.key);
    assert_eq!(unit.unit.data, [luma(29)]);
    rig.no_unit();
}

#[test]
fn the_bit_rate_changes_while_it_runs_and_stays_for_the_next_encoder() {
    let rig = Rig::streaming();
    rig.pipeline.set_bitrate(1_000_000);
    rig.settle();
    assert_eq!(rig.orders.bits.load(Ordering::SeqCst), 1_000_000);
    rig.orders.bits.store(0, Ordering::SeqCst);
    rig.show_in(SHAPE, 2, 80);
    rig.unit();
    assert_eq!(rig.orders.bits.load(Ordering::SeqCst), 1_000_000);
}

#[test]
fn encodes_longer_than_the_frame_interval_climb_the_load_ladder_to_half_the_rate_and_come_back() {
    let rig = Rig::streaming();
    rig.told();
    let frame = std::time::Duration::from_millis(31);
    let mut grey = 0_u8;
    let mut show = |rig: &Rig| {
        rig.clock.advance(frame);
        grey = grey.wrapping_add(1);
        rig.show(grey);
        rig.until_changed(1);
    };
    rig.orders.shut();
    show(&rig);
    for _ in 0..100 {
        // Two frames come while one is encoded.
        rig.orders.until_inside();
        show(&rig);
        show(&rig);
        rig.clock.advance(frame);
        rig.orders.once();
    }
    rig.orders.open();
    rig.settle();
    assert_eq!(rig.pipeline.stats().load_step, u64::from(HALF_RATE));
    assert_eq!(rig.orders.load_step.load(Ordering::SeqCst), 3);

    let before = rig.asks().len();
    for _ in 0..10 {
        show(&rig);
        rig.settle();
    }
    let encoded = rig.asks().len() - before;
    assert!(
        (4..=6).contains(&encoded),
        "{encoded} of 10 is not every second frame"
    );
    for _ in 0..600 {
        show(&rig);
        rig.settle();
    }
    assert_eq!(rig.pipeline.stats().load_step, 0);
    assert_eq!(rig.orders.load_step.load(Ordering::SeqCst), 0);
}

#[test]
fn closing_joins_the_threads_closes_the_encoder_and_refuses_more_in_words() {
    let mut rig = Rig::streaming();
    rig.pipeline.close();
    assert_eq!(rig.orders.closed.load(Ordering::SeqCst), 1);
    rig.show(99);
    rig.pipeline.keyframe();
    rig.pipeline.close();
    assert!(rig.units.try_recv().is_err());
    let told: Vec<Event> = rig.events.try_iter().collect();
    assert!(
        told.iter()
            .all(|event| !matches!(event, Event::EncoderFailed { .. }))
    );
}
