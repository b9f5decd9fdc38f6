//! A picture that stays is made better, a few times, and then nothing happens at all.

use std::sync::atomic::Ordering;

use super::rig::{Rig, luma};

#[test]
fn after_100_ms_of_stillness_the_picture_is_refined_at_most_three_times() {
    let rig = Rig::streaming();
    rig.orders.refine.store(9, Ordering::SeqCst);
    rig.told();
    rig.show(30);
    rig.unit();
    rig.advance(99);
    rig.no_unit();
    rig.advance(1);
    let unit = rig.unit();
    assert!(unit.refinement && !unit.unit.key);
    assert_eq!(unit.unit.data, [luma(30)]);
    for _ in 0..2 {
        rig.advance(33);
        assert!(rig.unit().refinement);
    }
    rig.advance(10_000);
    rig.no_unit();
    assert_eq!(rig.pipeline.stats().refinements, 3);
    assert_eq!(rig.changes(), 1, "refinements are no changes");
}

#[test]
fn refinement_ends_when_the_encoder_has_enough_and_starts_again_after_a_change() {
    let rig = Rig::streaming();
    rig.orders.refine.store(1, Ordering::SeqCst);
    rig.show(30);
    rig.unit();
    rig.advance(100);
    assert!(rig.unit().refinement);
    rig.advance(10_000);
    rig.no_unit();
    rig.orders.refine.store(1, Ordering::SeqCst);
    rig.show(31);
    assert!(!rig.unit().refinement);
    rig.advance(100);
    assert!(rig.unit().refinement);
}

#[test]
fn refinements_that_rate_control_puts_off_come_later_but_a_still_screen_comes_to_rest() {
    let rig = Rig::streaming();
    rig.orders.refine.store(9, Ordering::SeqCst);
    rig.orders.skips.store(2, Ordering::SeqCst);
    rig.advance(100);
    rig.no_unit();
    rig.advance(100);
    rig.no_unit();
    rig.advance(100);
    assert!(rig.unit().refinement, "the third try has room");
    rig.orders.skips.store(u32::MAX, Ordering::SeqCst);
    for _ in 0..100 {
        rig.advance(100);
        rig.settle();
    }
    let tries = rig.asks().len();
    rig.advance(100_000);
    rig.no_unit();
    assert_eq!(rig.asks().len(), tries, "it has given up");
    assert_eq!(rig.pipeline.stats().frames_skipped, 0);
}
