//! The encoder killed in every way we can: viewers wait under a second and are told why.

use std::sync::atomic::Ordering;

use super::rig::{Rig, luma};
use crate::pipeline::Event;

fn failures(told: &[Event]) -> Vec<&str> {
    told.iter()
        .filter_map(|event| match event {
            Event::EncoderFailed { words } => Some(words.as_str()),
            _ => None,
        })
        .collect()
}

#[test]
fn an_encode_that_fails_opens_the_encoder_again_at_once_with_a_key_frame() {
    let rig = Rig::streaming();
    rig.told();
    rig.orders.fail_encodes.store(1, Ordering::SeqCst);
    rig.show(30);
    let unit = rig.unit();
    assert!(unit.unit.key);
    assert_eq!(
        unit.unit.data,
        [luma(30)],
        "the picture that failed is not lost"
    );
    assert_eq!(rig.pipeline.stats().encoder_restarts, 1);
    let told = rig.told();
    assert_eq!(failures(&told), ["the encoder failed: ordered to fail"]);
    assert!(
        told.iter()
            .any(|event| matches!(event, Event::Encoder { .. })),
        "and that it is back"
    );
    assert_eq!(rig.orders.opened.load(Ordering::SeqCst), 2);
}

#[test]
fn a_panic_inside_the_encoder_is_a_failure_like_any_other() {
    let rig = Rig::streaming();
    rig.told();
    rig.orders.panics.store(1, Ordering::SeqCst);
    rig.show(30);
    let unit = rig.unit();
    assert!(unit.unit.key);
    assert_eq!(
        failures(&rig.told()),
        ["the encoder failed: it failed inside"]
    );
    assert_eq!(
        rig.orders.closed.load(Ordering::SeqCst),
        1,
        "the broken encoder is gone"
    );
}

#[test]
fn an_encoder_that_cannot_be_opened_is_tried_again_with_growing_waits_under_half_a_second() {
    let rig = Rig::new();
    rig.orders.fail_opens.store(7, Ordering::SeqCst);
    rig.pipeline.streaming(true);
    rig.show(30);
    rig.settle();
    let opened = || rig.orders.opened.load(Ordering::SeqCst);
    assert_eq!(opened(), 2, "once more at once");
    for (wait_ms, opens) in [(50, 3), (100, 4), (200, 5), (400, 6), (400, 7)] {
        rig.advance(wait_ms - 1);
        rig.settle();
        assert_eq!(opened(), opens - 1, "before {wait_ms} ms");
        rig.advance(1);
        rig.settle();
        assert_eq!(opened(), opens, "after {wait_ms} ms");
    }
    rig.no_unit();
    assert_eq!(rig.pipeline.encoder(), None);
    rig.advance(400);
    let unit = rig.unit();
    assert!(unit.unit.key);
    assert_eq!(unit.unit.data, [luma(30)]);
    assert_eq!(
        failures(&rig.told()),
        ["the encoder could not be opened: ordered not to open"],
        "told once, not seven times"
    );
    assert_eq!(
        rig.pipeline.stats().encoder_restarts,
        0,
        "none was open that could be opened again"
    );
}

#[test]
fn an_encoder_that_always_fails_is_told_once_and_never_spins() {
    let rig = Rig::streaming();
    rig.told();
    rig.orders.fail_encodes.store(u32::MAX, Ordering::SeqCst);
    rig.show(30);
    rig.settle();
    let after_first = rig.asks().len();
    rig.settle();
    assert_eq!(rig.asks().len(), after_first, "it waits for the clock");
    for _ in 0..10 {
        rig.advance(400);
        rig.settle();
    }
    assert!(rig.asks().len() <= after_first + 10);
    assert_eq!(failures(&rig.told()).len(), 1);
    rig.orders.fail_encodes.store(0, Ordering::SeqCst);
    rig.advance(400);
    assert!(rig.unit().unit.key);
}

#[test]
fn without_a_viewer_a_failed_open_neither_spins_nor_stops_change_detection() {
    let rig = Rig::new();
    rig.orders.fail_opens.store(1000, Ordering::SeqCst);
    for grey in 0..20 {
        rig.show(grey);
        rig.settle();
    }
    assert!(rig.orders.opened.load(Ordering::SeqCst) <= 3);
    assert_eq!(rig.changes(), 20);
}
