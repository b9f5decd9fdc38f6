//! Stills and screenshots.

use super::rig::{Rig, SHAPE, luma, region_path};
use crate::frames::RegionWriter;
use crate::pipeline::StillError;

#[test]
fn a_still_is_the_newest_picture_also_without_streaming() {
    let mut rig = Rig::new();
    let stills = rig.pipeline.stills();
    assert_eq!(stills.newest().err(), Some(StillError::NoPicture));
    rig.show(70);
    rig.settle();
    rig.show(80);
    rig.settle();
    let still = stills.newest().expect("a still");
    assert_eq!(still.picture.planes().0[0], luma(80));
    assert_eq!((still.layout, still.generation), (SHAPE, 1));
    rig.pipeline.close();
    assert_eq!(stills.newest().err(), Some(StillError::Closed));
}

#[test]
fn a_screenshot_is_the_regions_own_bytes() {
    let mut rig = Rig::new();
    let stills = rig.pipeline.stills();
    assert_eq!(stills.region().err(), Some(StillError::NoRegion));
    let path = region_path("screenshot");
    let bytes = SHAPE.bytes().expect("a size");
    rig.pipeline.create_region(&path, bytes).expect("a region");
    assert_eq!(stills.region().err(), Some(StillError::NoPicture));
    let pixels: Vec<u8> = (0..bytes).map(|at| (at % 253) as u8).collect();
    RegionWriter::open(&path, bytes)
        .expect("a writer")
        .write(0, &pixels)
        .expect("it fits");
    rig.pipeline.notify(rig.notice(SHAPE, 4)).expect("a notice");
    let still = stills.region().expect("a screenshot");
    assert!(still.pixels == pixels);
    assert_eq!(still.generation, 4);
    rig.pipeline.close();
    assert_eq!(stills.region().err(), Some(StillError::Closed));
}

#[test]
fn a_screenshot_that_the_device_draws_into_is_read_again_after_the_next_notice() {
    let rig = Rig::new();
    let path = region_path("redrawn");
    let bytes = SHAPE.bytes().expect("a size");
    rig.pipeline.create_region(&path, bytes).expect("a region");
    let writer = RegionWriter::open(&path, bytes).expect("a writer");
    rig.pipeline.notify(rig.notice(SHAPE, 1)).expect("a notice");
    let mut draws = 0_u8;
    let mut draw = |upto: u8, notice: bool| {
        if draws < upto {
            draws += 1;
            writer.write(0, &vec![draws; bytes]).expect("it fits");
        }
        if notice {
            rig.pipeline.notify(rig.notice(SHAPE, 1)).expect("a notice");
        }
    };
    let stills = rig.pipeline.stills();
    let still = stills
        .region_while(|| draw(2, false))
        .expect("the third read is whole");
    assert!(still.pixels.iter().all(|&byte| byte == 2));
    assert_eq!(
        stills.region_while(|| draw(200, false)).err(),
        Some(StillError::Torn),
        "drawn into each time"
    );
    assert_eq!(
        stills.region_while(|| draw(0, true)).err(),
        Some(StillError::Torn),
        "a newer frame each time"
    );
    assert!(stills.region_while(|| draw(0, false)).is_ok());
}
