//! Our way from shared memory to a unit against ffmpeg fed by a pipe: all that both processes spend.

use std::io::Write as _;
use std::process::{Command, Stdio};

use device_core::codec::Ask;
use device_core::codec::testing::content::Motion;
use device_core::codec::{Choice, Config, Tuning, open};
use device_core::frames::{
    Bands, Frame, Intake, Layout, Level, PixelFormat, Region, RegionWriter, ScrollFinder, Source,
    dirty_fraction,
};

use crate::clock::{children_cpu_ms, timed};
use crate::report::Bar;
use crate::source::Screen;

/// Pictures a second.
const FPS: f64 = 32.0;

/// The ratios, or nothing without ffmpeg.
pub fn against_ffmpeg(screen: &Screen, count: usize) -> Vec<Bar> {
    let frames: Vec<Vec<u8>> = screen
        .content
        .frames(Motion::Scroll, count)
        .map(|frame| frame.rgb.data)
        .collect();
    let Some(ffmpeg) = ffmpeg_ms(screen.content.size(), &frames) else {
        return Vec::new();
    };
    let label = screen.label();
    [("x264 ABR", Tuning::AbrBaseline), ("tuned", Tuning::Screen)]
        .into_iter()
        .map(|(name, tuning)| {
            let ours = ours_ms(screen.content.size(), &frames, tuning);
            Bar::time(
                format!("our process / ffmpeg fed by a pipe, {name}, {label}"),
                ours / ffmpeg,
                0.45,
                0.30,
            )
        })
        .collect()
}

fn ours_ms((width, height): (usize, usize), frames: &[Vec<u8>], tuning: Tuning) -> f64 {
    let folder = if std::path::Path::new("/dev/shm").is_dir() {
        "/dev/shm".into()
    } else {
        std::env::temp_dir()
    };
    let path = folder.join(format!("encoders-bench-{}", std::process::id()));
    let region = Region::create(&path, width * height * 3).expect("a region");
    let writer = RegionWriter::open(&path, region.len()).expect("a writer");
    let layout = Layout {
        width: u32::try_from(width).expect("a width"),
        height: u32::try_from(height).expect("a height"),
        format: PixelFormat::Rgb888,
        bottom_up: false,
    };
    let mut encoder = open(
        Choice::X264,
        &Config {
            tuning,
            ..Config::new(width, height)
        },
    )
    .expect("x264 opens");
    let mut intake = Intake::new(Level::best());
    let mut scroll = ScrollFinder::default();
    let mut pair = [Frame::default(), Frame::default()];
    let mut total = 0.0;
    for (index, data) in frames.iter().enumerate() {
        // The device writes; that is not ours to pay, and ffmpeg's frames are written by someone too.
        writer.write(0, data).expect("it fits");
        let [now, before] = &mut pair;
        let ((), times) = timed(|| {
            intake
                .read(Source::Region(&region), layout, now)
                .expect("a frame");
            let ask = Ask {
                dirty: dirty_fraction(before.rows(), now.rows()),
                unchanged: Bands::unchanged(before.rows(), now.rows()),
                scroll: scroll.find(before.rows(), now.rows()),
                ..Ask::at((5e6 + index as f64 * 1e6 / FPS) as u64)
            };
            encoder.encode(&now.picture, ask).expect("it encodes");
        });
        total += times.cpu_ms;
        pair.swap(0, 1);
    }
    total / frames.len() as f64
}

fn ffmpeg_ms((width, height): (usize, usize), frames: &[Vec<u8>]) -> Option<f64> {
    let before = children_cpu_ms();
    let mut child = Command::new("ffmpeg")
        .args([
            "-v",
            "error",
            "-f",
            "rawvideo",
            "-pix_fmt",
            "rgb24",
            "-s",
            &format!("{width}x{height}"),
        ])
        .args([
            "-r",
            "32",
            "-i",
            "-",
            "-pix_fmt",
            "yuv420p",
            "-c:v",
            "libx264",
            "-preset",
            "ultrafast",
        ])
        .args([
            "-tune",
            "zerolatency",
            "-b:v",
            "8M",
            "-maxrate",
            "8M",
            "-bufsize",
            "4M",
            "-threads",
            "1",
        ])
        .args(["-x264-params", "keyint=infinite", "-f", "null", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    let (written, times) = timed(|| frames.iter().try_for_each(|frame| input.write_all(frame)));
    drop(input);
    let ended = child.wait().ok()?;
    if written.is_err() || !ended.success() {
        return None;
    }
    Some((children_cpu_ms() - before + times.cpu_ms) / frames.len() as f64)
}
