//! The region and the pass over it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{
    Frame, FrameError, Intake, Layout, Level, PixelFormat, Region, RegionError, RegionWriter,
    Source,
};

/// A path of its own that is free, in the folder for shared memory where there is one.
fn free_path() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let shm = PathBuf::from("/dev/shm");
    let folder = if shm.is_dir() {
        shm
    } else {
        std::env::temp_dir()
    };
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    folder.join(format!("device-core-frames-{}-{next}", std::process::id()))
}

fn layout(width: u32, height: u32) -> Layout {
    Layout {
        width,
        height,
        format: PixelFormat::Rgb888,
        bottom_up: false,
    }
}

fn pattern(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes)
        .map(|at| ((at * 7 + seed * 31 + at / 97) & 255) as u8)
        .collect()
}

#[test]
fn a_region_is_exclusive_private_sized_once_and_removed_when_dropped() {
    let path = free_path();
    let region = Region::create(&path, 10_000).expect("a region");
    let meta = fs::metadata(&path).expect("the file");
    assert_eq!(
        (meta.len(), meta.permissions().mode() & 0o777),
        (10_000, 0o600)
    );
    assert_eq!(
        Region::create(&path, 10_000).err(),
        Some(RegionError::Exists(path.clone()))
    );
    assert!(path.exists(), "the second try removed nothing");
    drop(region);
    assert!(!path.exists());
}

#[test]
fn a_file_that_took_the_regions_place_is_left_alone() {
    let path = free_path();
    let region = Region::create(&path, 4096).expect("a region");
    fs::remove_file(&path).expect("removed");
    fs::write(&path, "someone else's").expect("written");
    drop(region);
    assert_eq!(
        fs::read_to_string(&path).expect("still there"),
        "someone else's"
    );
    fs::remove_file(&path).expect("removed");
}

#[test]
fn sizes_that_make_no_sense_or_do_not_fit_are_errors_in_words() {
    assert_eq!(
        Region::create(&free_path(), 0).err(),
        Some(RegionError::Size(0))
    );
    assert!(matches!(
        Region::create(&free_path(), usize::MAX),
        Err(RegionError::Size(_))
    ));
    let missing = PathBuf::from("/no-such-folder/region");
    let words = Region::create(&missing, 1)
        .expect_err("no folder")
        .to_string();
    assert!(
        words.contains("/no-such-folder/region") && words.contains("made"),
        "{words}"
    );

    let path = free_path();
    let region = Region::create(&path, 1000).expect("a region");
    let mut frame = Frame::default();
    let mut intake = Intake::new(Level::best());
    let error = intake
        .read(Source::Region(&region), layout(100, 100), &mut frame)
        .expect_err("too small");
    assert_eq!(
        error,
        RegionError::DoesNotFit {
            need: 30_000,
            have: 1000
        }
        .into()
    );
    assert!(region.read(999, &mut [0; 2]).is_err());
    assert!(region.read(usize::MAX, &mut [0; 2]).is_err());
    assert!(matches!(
        RegionWriter::open(&path, 1001),
        Err(RegionError::DoesNotFit {
            need: 1001,
            have: 1000
        })
    ));
    assert!(
        RegionWriter::open(&path, 1000)
            .expect("it fits")
            .write(500, &[1; 501])
            .is_err()
    );
}

#[test]
fn frames_without_pixels_or_beyond_every_screen_are_errors() {
    let mut intake = Intake::new(Level::best());
    for (width, height) in [
        (0, 10),
        (10, 0),
        (u32::MAX, u32::MAX),
        (16_385, 1),
        (16_384, 16_384),
    ] {
        let error = intake.read(
            Source::Bytes(&[]),
            layout(width, height),
            &mut Frame::default(),
        );
        assert_eq!(error, Err(FrameError::Size { width, height }));
    }
    let error = intake.read(Source::Bytes(&[0; 11]), layout(2, 2), &mut Frame::default());
    assert_eq!(
        error,
        Err(FrameError::Bytes {
            width: 2,
            height: 2,
            need: 12,
            have: 11
        })
    );
}

#[test]
fn a_file_truncated_in_use_is_an_error_for_reader_and_writer_and_never_a_signal() {
    let path = free_path();
    let shape = layout(400, 400);
    let region = Region::create(&path, 480_000).expect("a region");
    let writer = RegionWriter::open(&path, 480_000).expect("a writer");
    let file = fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .expect("the file");
    file.set_len(4096).expect("truncated");

    let mut intake = Intake::new(Level::best());
    let error = intake
        .read(Source::Region(&region), shape, &mut Frame::default())
        .expect_err("it shrank");
    assert!(
        error.to_string().contains("shrank to 4096 bytes"),
        "{error}"
    );
    assert!(writer.write(0, &[1; 100]).is_err());

    // Past the check, as when the file shrinks between it and the loads.
    let mut bytes = vec![1; 480_000];
    region
        .read(0, &mut bytes)
        .expect("zeros in place of a signal");
    assert!(bytes[4096..].iter().all(|&byte| byte == 0));
    file.set_len(480_000).expect("grown again");
    assert!(
        region.check().is_err(),
        "the mapping is no longer the file's, whatever its size is now"
    );
}

#[test]
fn what_a_writer_wrote_is_what_the_picture_shows_in_both_directions_and_formats() {
    let path = free_path();
    let (width, height) = (67_usize, 41_usize);
    let region = Region::create(&path, width * height * 4).expect("a region");
    let writer = RegionWriter::open(&path, width * height * 4).expect("a writer");
    let rgb = pattern(width * height * 3, 1);
    let mut want = Frame::default();
    let mut intake = Intake::new(Level::Scalar);
    intake
        .read(Source::Bytes(&rgb), layout(67, 41), &mut want)
        .expect("a frame");
    for format in [PixelFormat::Rgb888, PixelFormat::Rgba8888] {
        for bottom_up in [false, true] {
            let mut memory = Vec::new();
            for row in 0..height {
                let row = if bottom_up { height - 1 - row } else { row };
                for pixel in rgb[row * width * 3..(row + 1) * width * 3].chunks_exact(3) {
                    memory.extend_from_slice(pixel);
                    memory.extend((format == PixelFormat::Rgba8888).then_some(9));
                }
            }
            writer.write(0, &memory).expect("it fits");
            let shape = Layout {
                format,
                bottom_up,
                ..layout(67, 41)
            };
            let mut frame = Frame::default();
            let seen = Intake::new(Level::best())
                .read(Source::Region(&region), shape, &mut frame)
                .expect("a frame");
            assert!(seen.changed);
            assert!(
                frame.picture == want.picture,
                "{format:?}, bottom up: {bottom_up}"
            );
        }
    }
}

#[test]
fn copies_of_every_length_and_alignment_bring_exactly_their_bytes() {
    let path = free_path();
    let region = Region::create(&path, 1000).expect("a region");
    let writer = RegionWriter::open(&path, 1000).expect("a writer");
    let pixels = pattern(1000, 3);
    writer.write(0, &pixels).expect("it fits");
    for offset in [0, 1, 3, 8, 15, 63] {
        for len in (0..200).chain([500, 937]) {
            let mut got = vec![0xaa; len + 2];
            region.read(offset, &mut got[1..=len]).expect("it fits");
            assert_eq!(
                got[1..=len],
                pixels[offset..offset + len],
                "{len} bytes from {offset}"
            );
            assert_eq!((got[0], got[len + 1]), (0xaa, 0xaa), "nothing beside them");
        }
    }
}

#[test]
fn a_frame_is_unchanged_only_against_the_one_read_before() {
    let mut intake = Intake::new(Level::best());
    let (mut one, mut two) = (Frame::default(), Frame::default());
    let shape = layout(90, 60);
    let first = pattern(90 * 60 * 3, 1);
    let mut second = first.clone();
    second[90 * 3 * 17 + 5] ^= 255;
    let mut read = |pixels: &[u8], frame: &mut Frame| {
        intake
            .read(Source::Bytes(pixels), shape, frame)
            .expect("a frame")
    };
    assert_eq!(read(&first, &mut one).dirty_rows, 60);
    assert!(!read(&first, &mut two).changed, "into another frame");
    assert_eq!(read(&second, &mut two).dirty_rows, 1);
    assert!(
        !read(&second, &mut one).changed,
        "into a frame that held the older picture"
    );
    assert!(one.picture == two.picture, "and it holds the newest now");
    assert_eq!(read(&first, &mut one).dirty_rows, 1);
}

#[test]
fn after_an_error_or_another_shape_the_next_frame_counts_as_changed() {
    let mut intake = Intake::new(Level::best());
    let mut frame = Frame::default();
    let pixels = pattern(90 * 60 * 3, 1);
    intake
        .read(Source::Bytes(&pixels), layout(90, 60), &mut frame)
        .expect("a frame");
    assert!(
        intake
            .read(Source::Bytes(&pixels[1..]), layout(90, 60), &mut frame)
            .is_err()
    );
    assert_eq!(frame.layout(), None, "a frame that failed shows nothing");
    intake.forget();
    assert!(
        intake
            .read(Source::Bytes(&pixels), layout(90, 60), &mut frame)
            .expect("a frame")
            .changed
    );
    assert!(
        intake
            .read(Source::Bytes(&pixels), layout(60, 90), &mut frame)
            .expect("a frame")
            .changed
    );
    assert_eq!(
        (
            frame.picture.width(),
            frame.picture.height(),
            frame.rows().len()
        ),
        (60, 90, 90)
    );
}

#[test]
fn strips_of_every_size_give_the_picture_of_a_plain_conversion() {
    // From a row longer than a strip to many rows in one, with odd ends.
    for (width, height) in [(9000, 3), (2731, 9), (1081, 35), (40, 501), (1, 7)] {
        let pixels = pattern(width * height * 3, width);
        let shape = layout(width as u32, height as u32);
        let mut scalar = Frame::default();
        Intake::new(Level::Scalar)
            .read(Source::Bytes(&pixels), shape, &mut scalar)
            .expect("a frame");
        let mut best = Frame::default();
        Intake::new(Level::best())
            .read(Source::Bytes(&pixels), shape, &mut best)
            .expect("a frame");
        assert!(scalar.picture == best.picture, "{width}x{height}");
    }
}

#[test]
fn rows_like_those_above_them_are_converted_as_every_row_is() {
    let (width, height) = (70, 43);
    let row_bytes = width as usize * 3;
    // Pairs alike, pairs that start within a pair, a last row without a partner.
    let shades = [1, 1, 1, 1, 2, 3, 2, 3, 3, 2, 2, 2, 2, 2, 4, 4, 4];
    let row = |at: usize| pattern(row_bytes, shades[at % shades.len()]);
    let pixels: Vec<u8> = (0..height as usize).flat_map(row).collect();
    let (mut intake, mut frame) = (Intake::new(Level::best()), Frame::default());
    let mut caret = pixels.clone();
    caret[row_bytes * 2..row_bytes * 3].fill(9);
    for shown in [&pixels, &caret, &pixels] {
        intake
            .read(Source::Bytes(shown), layout(width, height), &mut frame)
            .expect("a frame");
        for (pair, bytes) in shown.chunks(row_bytes * 2).enumerate() {
            let rows = (bytes.len() / row_bytes) as u32;
            let mut alone = Frame::default();
            Intake::new(Level::Scalar)
                .read(Source::Bytes(bytes), layout(width, rows), &mut alone)
                .expect("a frame");
            let ((y, u, v), (luma, cb, cr)) = (alone.picture.planes(), frame.picture.planes());
            let at = |plane: &[u8], whole: &[u8]| {
                whole[pair * plane.len()..(pair + 1) * plane.len()] == *plane
            };
            assert!(at(y, luma) && at(u, cb) && at(v, cr), "pair {pair}");
        }
    }
}
