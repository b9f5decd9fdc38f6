//! Notices about a region that another process writes with no lock.

use std::sync::atomic::{AtomicBool, Ordering};

use super::rig::{Rig, SHAPE, region_path};
use crate::codec::testing::Random;
use crate::frames::{Frame, Intake, Layout, Level, PixelFormat, RegionWriter, Source};
use crate::pipeline::{Event, FrameNotice};

#[test]
fn the_last_picture_is_the_source_once_the_screen_is_still_however_torn_those_before_were() {
    let rig = Rig::new();
    rig.pipeline.streaming(true);
    let shape = Layout {
        width: 320,
        height: 640,
        ..SHAPE
    };
    let bytes = shape.bytes().expect("a size");
    let path = region_path("still-at-last");
    rig.pipeline.create_region(&path, bytes).expect("a region");
    let writer = RegionWriter::open(&path, bytes).expect("a writer");
    let mut random = Random::new(11);
    let mut last = vec![0; bytes];
    for frame in 0..400 {
        // The picture of this frame begins while the one before may still be read.
        let from = random.below(bytes / 2);
        last[from..from + bytes / 2].fill((frame % 251) as u8);
        writer.write(0, &last).expect("it fits");
        rig.pipeline.notify(rig.notice(shape, 1)).expect("a notice");
    }
    rig.settle();
    let mut want = Frame::default();
    Intake::new(Level::Scalar)
        .read(Source::Bytes(&last), shape, &mut want)
        .expect("a frame");
    let still = rig.pipeline.stills().newest().expect("a still");
    assert!(still.picture == want.picture);
    let stats = rig.pipeline.stats();
    assert_eq!(stats.frames_in, 400);
    assert_eq!(
        stats.frames_in,
        stats.units_out + stats.frames_replaced + stats.frames_unchanged
    );
}

#[test]
fn a_region_that_shrinks_is_told_once_and_a_new_one_goes_on() {
    let rig = Rig::new();
    rig.pipeline.streaming(true);
    let bytes = SHAPE.bytes().expect("a size");
    let path = region_path("shrinks");
    rig.pipeline.create_region(&path, bytes).expect("a region");
    rig.pipeline.notify(rig.notice(SHAPE, 1)).expect("a notice");
    assert!(rig.unit().unit.key);
    rig.told();
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .expect("the file");
    file.set_len(100).expect("truncated");
    for _ in 0..5 {
        rig.pipeline.notify(rig.notice(SHAPE, 1)).expect("a notice");
        rig.settle();
    }
    let told = rig.told();
    assert!(
        matches!(&told[..], [Event::RegionFailed { words }] if words.contains("shrank to 100 bytes")),
        "{told:?}"
    );
    rig.pipeline
        .create_region(&path, bytes)
        .expect("a region in its place");
    RegionWriter::open(&path, bytes)
        .expect("a writer")
        .write(0, &vec![200; bytes])
        .expect("it fits");
    rig.pipeline.notify(rig.notice(SHAPE, 1)).expect("a notice");
    rig.unit();
}

#[test]
fn notices_that_do_not_fit_are_errors_at_once_and_change_nothing() {
    let rig = Rig::new();
    let words = rig
        .pipeline
        .notify(rig.notice(SHAPE, 1))
        .expect_err("no region")
        .to_string();
    assert!(words.contains("12288 bytes do not fit"), "{words}");
    let path = region_path("fits");
    rig.pipeline.create_region(&path, 12_287).expect("a region");
    assert!(rig.pipeline.notify(rig.notice(SHAPE, 1)).is_err());
    assert!(rig.pipeline.create_region(&path, 0).is_err());
    assert!(!path.exists(), "the region before was given up first");
    assert_eq!(rig.pipeline.stats().frames_in, 0);
}

/// Arbitrary sizes, formats, generations, numbers and times; a region that is written meanwhile.
#[test]
fn a_hundred_thousand_arbitrary_notices_never_panic_hang_or_lose_count() {
    let rig = Rig::new();
    rig.pipeline.streaming(true);
    let path = region_path("fuzz");
    let bytes = 96 * 96 * 4;
    rig.pipeline.create_region(&path, bytes).expect("a region");
    let writer = RegionWriter::open(&path, bytes).expect("a writer");
    let mut random = Random::new(5);
    let mut accepted = 0;
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = Random::new(6);
            while !stop.load(Ordering::Relaxed) {
                let at = random.below(bytes - 64);
                writer
                    .write(at, &[random.below(256) as u8; 64])
                    .expect("it fits");
                std::thread::yield_now();
            }
        });
        for _ in 0..100_000 {
            let edge = |random: &mut Random| match random.below(8) {
                0 => 0,
                1 => random.next_u64() as u32,
                _ => random.below(100) as u32,
            };
            let layout = Layout {
                width: edge(&mut random),
                height: edge(&mut random),
                format: if random.below(2) == 0 {
                    PixelFormat::Rgb888
                } else {
                    PixelFormat::Rgba8888
                },
                bottom_up: random.below(2) == 0,
            };
            let (generation, seq, capture_us) =
                (random.below(4) as u32, random.next_u64(), random.next_u64());
            let notice = FrameNotice {
                layout,
                generation,
                seq,
                capture_us,
            };
            let fits = layout.bytes().is_ok_and(|need| need <= bytes);
            assert_eq!(rig.pipeline.notify(notice).is_ok(), fits);
            accepted += u64::from(fits);
            if random.below(50) == 0 {
                rig.pipeline.keyframe();
            }
            rig.units.try_iter().for_each(drop);
            rig.events.try_iter().for_each(drop);
        }
        stop.store(true, Ordering::Relaxed);
    });
    rig.settle();
    let stats = rig.pipeline.stats();
    assert_eq!(stats.frames_in, accepted);
    assert_eq!((stats.encoder_restarts, stats.units_dropped), (0, 0));
    assert!(rig.pipeline.stills().newest().is_ok());
}
