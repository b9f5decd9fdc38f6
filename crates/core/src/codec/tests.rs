//! Both encoders against an independent decoder: one unit a picture from the same call, the right pictures, key frames
//! on demand.

mod controlled;

use std::ffi::CString;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Stdio};

use super::bitstream::{Colour, check_unit};
use super::dylib::Library;
use super::{Ask, Choice, CodecError, Config, Encoded, Encoder, Unit, open};
use crate::frames::{Bands, Picture};

const WIDTH: usize = 320;
const HEIGHT: usize = 480;
/// Flat patches, as luma and the two chromas, within limited range.
const PATCHES: [[u8; 3]; 6] = [
    [16, 128, 128],
    [235, 128, 128],
    [63, 102, 240],
    [173, 42, 26],
    [32, 240, 118],
    [126, 128, 128],
];

/// A page of flat patches, with a strip that moves with `step`.
fn page(step: usize) -> Picture {
    let mut picture = Picture::new(WIDTH, HEIGHT);
    let (y, u, v) = picture.planes_mut();
    for row in 0..HEIGHT {
        let patch = PATCHES[row * PATCHES.len() / HEIGHT];
        for column in 0..WIDTH {
            let strip = column >= 240 && (row + step * 7) % 32 < 16;
            y[row * WIDTH + column] = if strip { 200 } else { patch[0] };
            let chroma = row / 2 * (WIDTH / 2) + column / 2;
            (u[chroma], v[chroma]) = if column >= 240 {
                (128, 128)
            } else {
                (patch[1], patch[2])
            };
        }
    }
    picture
}

/// True when a tool is missing and this is not CI, which must have it; says why a test proves nothing here.
#[expect(
    clippy::print_stderr,
    reason = "a test that proves nothing must say so"
)]
pub fn missing(what: &str, there: bool) -> bool {
    assert!(
        there || std::env::var_os("CI").is_none(),
        "{what} is missing, and CI must have it"
    );
    if !there {
        eprintln!("not proved here: {what} is missing");
    }
    !there
}

/// Compiles Rust source to a shared library and opens it; the file is gone after that.
pub fn fake_library(name: &str, source: &str) -> Library {
    let folder = std::env::temp_dir();
    let file = folder.join(format!("codec-{name}-{}", std::process::id()));
    let (source_file, library_file) = (file.with_extension("rs"), file.with_extension("so"));
    std::fs::write(&source_file, source).expect("the folder can be written");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let made = Command::new(rustc)
        .args([
            "--edition",
            "2024",
            "--crate-type",
            "cdylib",
            "--crate-name",
            "fake",
            "-o",
        ])
        .args([&library_file, &source_file])
        .output()
        .expect("the compiler that built this test is there");
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let path = CString::new(library_file.as_os_str().as_bytes()).expect("no zero byte");
    let library = Library::open(&path).expect("it opens");
    for file in [source_file, library_file] {
        std::fs::remove_file(file).expect("it was written");
    }
    library
}

fn ffmpeg_is_missing() -> bool {
    let there = Command::new("ffmpeg")
        .arg("-version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    missing("ffmpeg", there.is_ok_and(|status| status.success()))
}

/// The encoders of this machine; each is tested in the same way.
pub fn encoders(config: &Config) -> Vec<Box<dyn Encoder>> {
    let mut found = Vec::new();
    for choice in [Choice::X264, Choice::OpenH264, Choice::OpenH264Source] {
        match open(choice, config) {
            Ok(encoder) => found.push(encoder),
            Err(CodecError::NoEncoder(_)) if choice == Choice::OpenH264Source => {}
            Err(CodecError::NoEncoder(words)) => {
                missing(&words, false);
            }
            Err(error) => panic!("{error}"),
        }
    }
    found
}

pub fn unit(encoder: &mut dyn Encoder, picture: &Picture, ask: Ask) -> Unit {
    match encoder.encode(picture, ask).expect("it encodes") {
        Encoded::Unit(unit) => unit,
        Encoded::Skipped => panic!("{} skipped a picture", encoder.name()),
    }
}

pub fn at(index: usize) -> Ask {
    Ask::at(1_000_000 + 31_250 * index as u64)
}

/// Decodes a stream and gives its pictures, as planes behind one another.
fn decode(stream: Vec<u8>) -> Vec<Vec<u8>> {
    let mut child = Command::new("ffmpeg")
        .args([
            "-v", "error", "-xerror", "-f", "h264", "-i", "-", "-vsync", "0", "-f", "rawvideo", "-",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ffmpeg starts");
    let mut input = child.stdin.take().expect("it is piped");
    let writer = std::thread::spawn(move || input.write_all(&stream));
    let output = child.wait_with_output().expect("ffmpeg ends");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    writer
        .join()
        .expect("the writer ends")
        .expect("ffmpeg reads the whole stream");
    output
        .stdout
        .chunks(WIDTH * HEIGHT * 3 / 2)
        .map(<[u8]>::to_vec)
        .collect()
}

fn assert_patches(encoder: &str, decoded: &[u8]) {
    let luma = WIDTH * HEIGHT;
    for (index, patch) in PATCHES.iter().enumerate() {
        let (row, column) = ((2 * index + 1) * HEIGHT / (2 * PATCHES.len()), 120);
        let chroma = row / 2 * (WIDTH / 2) + column / 2;
        let seen = [
            decoded[row * WIDTH + column],
            decoded[luma + chroma],
            decoded[luma + luma / 4 + chroma],
        ];
        for (seen, wanted) in seen.iter().zip(patch) {
            assert!(
                seen.abs_diff(*wanted) <= 2,
                "{encoder}: patch {index} is {seen} for {wanted}"
            );
        }
    }
}

#[test]
fn each_picture_gives_one_unit_from_its_call_and_ffmpeg_decodes_the_mixed_stream() {
    if ffmpeg_is_missing() {
        return;
    }
    let config = Config::new(WIDTH, HEIGHT);
    let (mut stream, mut names) = (Vec::new(), Vec::new());
    for mut encoder in encoders(&config) {
        for index in 0..24 {
            let ask = Ask {
                key: index == 10,
                ..at(index)
            };
            let unit = unit(&mut *encoder, &page(index), ask);
            let info = check_unit(&unit.data)
                .unwrap_or_else(|error| panic!("{}: {error}", encoder.name()));
            assert_eq!(info.key, unit.key);
            assert!(
                unit.key || (index != 0 && index != 10),
                "{} gives a key when asked",
                encoder.name()
            );
            stream.extend_from_slice(&unit.data);
            names.push(encoder.name().to_owned());
        }
    }
    let pictures = decode(stream);
    assert_eq!(pictures.len(), names.len());
    for (name, picture) in names.iter().zip(&pictures) {
        assert_patches(name, picture);
    }
}

#[test]
fn a_key_frame_comes_on_demand_for_a_still_picture_and_decodes_alone() {
    if ffmpeg_is_missing() {
        return;
    }
    let picture = page(0);
    for mut encoder in encoders(&Config::new(WIDTH, HEIGHT)) {
        for index in 0..3 {
            unit(&mut *encoder, &picture, at(index));
        }
        for index in 3..5 {
            let unit = unit(
                &mut *encoder,
                &picture,
                Ask {
                    key: true,
                    ..at(index)
                },
            );
            assert!(unit.key && check_unit(&unit.data).expect("it is whole").key);
            let decoded = decode(unit.data);
            assert_eq!(decoded.len(), 1);
            assert_patches(encoder.name(), &decoded[0]);
        }
    }
}

#[test]
fn x264_codes_the_rows_that_changed_and_does_not_look_at_those_that_are_said_not_to() {
    let config = Config::new(WIDTH, HEIGHT);
    let Ok(mut encoder) = open(Choice::X264, &config) else {
        missing("libx264", false);
        return;
    };
    if ffmpeg_is_missing() {
        return;
    }
    let grey = |rows: std::ops::Range<usize>| {
        let mut picture = page(0);
        picture.planes_mut().0[rows.start * WIDTH..rows.end * WIDTH].fill(100);
        picture
    };
    let mut all_but_two = Bands::ALL;
    for band in [1, 2] {
        all_but_two.remove(band);
    }
    let mut stream = Vec::new();
    for (index, picture, unchanged) in [
        (0, page(0), Bands::default()),
        (1, grey(16..48), all_but_two),
        (2, grey(16..400), Bands::ALL),
        (3, grey(16..400), Bands::default()),
    ] {
        let ask = Ask {
            unchanged,
            ..at(index)
        };
        stream.extend_from_slice(&unit(&mut *encoder, &picture, ask).data);
    }
    let is_grey = decode(stream)
        .iter()
        .map(|decoded| [20, 40, 60, 390].map(|row| decoded[row * WIDTH + 100].abs_diff(100) <= 2))
        .collect::<Vec<_>>();
    assert_eq!(
        is_grey,
        [
            [false; 4],
            [true, true, false, false],
            [true, true, false, false],
            [true; 4]
        ]
    );
}

#[test]
fn the_parameter_set_says_size_colour_and_no_reordering() {
    for (width, height) in [(1080, 2400), (2208, 1840), (2560, 1600), (338, 602)] {
        for mut encoder in encoders(&Config::new(width, height)) {
            let unit = unit(&mut *encoder, &Picture::new(width, height), at(0));
            let sps = check_unit(&unit.data)
                .expect("it is whole")
                .sps
                .expect("a key unit has one");
            let name = encoder.name();
            assert_eq!(
                (sps.width as usize, sps.height as usize),
                (width, height),
                "{name}"
            );
            assert_eq!(sps.colour, Colour::BT709_LIMITED, "{name}");
            assert_eq!(sps.max_num_reorder_frames, Some(0), "{name}");
            assert_eq!(sps.max_num_ref_frames, 1, "{name}");
            assert!(
                sps.level >= 30 || width < 1000,
                "{name}: level {}",
                sps.level
            );
        }
    }
}

#[test]
fn slices_of_two_threads_come_as_one_unit() {
    for mut encoder in encoders(&Config {
        threads: 2,
        ..Config::new(WIDTH, HEIGHT)
    }) {
        for index in 0..4 {
            let unit = unit(&mut *encoder, &page(index), at(index));
            assert_eq!(
                check_unit(&unit.data).map(|info| info.slices),
                Ok(2),
                "{}",
                encoder.name()
            );
        }
    }
}

#[test]
fn the_bit_rate_can_change_between_pictures() {
    for mut encoder in encoders(&Config::new(WIDTH, HEIGHT)) {
        for index in 0..6 {
            encoder.set_bitrate(if index % 2 == 0 { 1_000_000 } else { 4_000_000 });
            unit(&mut *encoder, &page(index), at(index));
        }
    }
}

#[test]
fn a_picture_of_another_size_is_an_error_and_the_encoder_lives_on() {
    for mut encoder in encoders(&Config::new(WIDTH, HEIGHT)) {
        let Err(CodecError::Encode(words)) = encoder.encode(&Picture::new(64, 64), at(0)) else {
            panic!("{} took a picture of another size", encoder.name());
        };
        assert!(
            words.contains("64x64") && words.contains("320x480"),
            "{words}"
        );
        assert!(unit(&mut *encoder, &page(0), at(1)).key);
    }
}

#[test]
fn many_encoders_opened_and_dropped_leave_no_descriptor_behind() {
    let descriptors = || std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    drop(encoders(&Config::new(64, 64)));
    let before = descriptors();
    for _ in 0..20 {
        for mut encoder in encoders(&Config::new(64, 64)) {
            unit(&mut *encoder, &Picture::new(64, 64), at(0));
        }
    }
    assert!(
        descriptors() <= before + 8,
        "other tests may hold a few, not twenty"
    );
}
