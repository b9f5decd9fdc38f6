//! Shared memory to access unit against the bare encode, and a key frame on a still screen.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use device_core::codec::testing::content::{Content, Motion};
use device_core::codec::{self, Ask, Choice, Config, Encoder, Tuning};
use device_core::frames::{
    Bands, Frame, Intake, Layout, Level, PixelFormat, Region, RegionWriter, ScrollFinder, Source,
    dirty_fraction,
};
use device_core::pipeline::{
    Event, FrameNotice, Full, Outlet, Pipeline, RgbStill, Stamped, SystemClock, YuvStill,
};
use device_core::png;

use crate::{Ratio, cpu_ms, median};

const FRAMES: usize = 64;
const FRAME_US: u64 = 31_250;

fn layout(width: u32, height: u32) -> Layout {
    Layout {
        width,
        height,
        format: PixelFormat::Rgb888,
        bottom_up: false,
    }
}

fn region_path(name: &str) -> String {
    let folder = if std::path::Path::new("/dev/shm").is_dir() {
        "/dev/shm"
    } else {
        "/tmp"
    };
    format!("{folder}/device-bench-{name}-{}", std::process::id())
}

fn open(tuning: Tuning, width: u32, height: u32) -> Box<dyn Encoder> {
    let even = |pixels: u32| pixels.next_multiple_of(2) as usize;
    codec::open(
        Choice::Auto,
        &Config {
            tuning,
            ..Config::new(even(width), even(height))
        },
    )
    .expect("an encoder")
}

/// Scroll, frame by frame: written by "the device", then once the bare encode of a picture that is there already, and
/// once everything that the two threads do for it.
pub fn encode_ratios(screen: &str, width: u32, height: u32) -> Vec<Ratio> {
    let shape = layout(width, height);
    let content = Content::drawn(width as usize, height as usize, 3);
    let path = region_path(screen);
    let region = Region::create(path.as_ref(), shape.bytes().expect("a size")).expect("a region");
    let writer = RegionWriter::open(path.as_ref(), region.len()).expect("a writer");
    let mut ratios = Vec::new();
    for (tuning, name, bars) in [
        (
            Tuning::AbrBaseline,
            "x264 ABR",
            if screen == "phone" {
                (1.10, 1.05)
            } else {
                (1.12, 1.08)
            },
        ),
        (Tuning::Screen, "tuned", (1.15, 1.10)),
    ] {
        let mut bare = open(tuning, width, height);
        let mut whole = open(tuning, width, height);
        let (mut bare_ms, mut whole_ms, mut unchanged_ms) = (vec![], vec![], vec![]);
        let mut intake = Intake::new(Level::best());
        // The pipeline's two frames, taken in turn.
        let mut frames = [Frame::default(), Frame::default()];
        let mut scroll = ScrollFinder::default();
        for (number, drawn) in content.frames(Motion::Scroll, FRAMES).enumerate() {
            writer.write(0, &drawn.rgb.data).expect("it fits");
            let [now, before] = &mut frames;
            let arrival_us = 1_000_000 + number as u64 * FRAME_US;
            let both = |now: &Frame, before: &Frame, scroll: &mut ScrollFinder| Ask {
                dirty: dirty_fraction(before.rows(), now.rows()),
                unchanged: Bands::unchanged(before.rows(), now.rows()),
                scroll: scroll.find(before.rows(), now.rows()),
                ..Ask::at(arrival_us)
            };
            let spent = cpu_ms(|| {
                intake
                    .read(Source::Region(&region), shape, now)
                    .expect("a frame");
                let ask = both(now, before, &mut scroll);
                whole.encode(&now.picture, ask).expect("a unit");
            });
            let ask = both(now, before, &mut scroll);
            let encode = cpu_ms(|| drop(bare.encode(&now.picture, ask).expect("a unit")));
            writer.write(0, &drawn.rgb.data).expect("it fits");
            let unchanged = cpu_ms(|| {
                let seen = intake
                    .read(Source::Region(&region), shape, before)
                    .expect("a frame");
                assert!(!seen.changed);
            });
            writer.write(0, &drawn.rgb.data).expect("it fits");
            let still = cpu_ms(|| drop(intake.read(Source::Region(&region), shape, before)));
            // The first frame is the key frame; its encode is another.
            if number > 0 {
                whole_ms.push(spent);
                bare_ms.push(encode);
                unchanged_ms.push(unchanged.min(still));
            }
            frames.swap(0, 1);
        }
        let [whole, bare, unchanged] =
            [whole_ms, bare_ms, unchanged_ms].map(|mut values| median(&mut values));
        ratios.push(Ratio::new(
            format!("shared memory to unit / bare encode, {name}, {screen}"),
            (whole, bare),
            bars.0,
            bars.1,
        ));
        ratios.push(Ratio::new(
            format!("unchanged frame / encode of it, {name}, {screen}"),
            (unchanged, bare),
            0.10,
            0.05,
        ));
    }
    ratios
}

struct Units(Sender<Stamped>);

impl Outlet for Units {
    fn unit(&self, unit: Stamped) -> Result<(), Full> {
        self.0.send(unit).map_err(|_| Full)
    }

    fn room(&self) -> bool {
        true
    }

    fn event(&self, _event: Event) {}
}

/// From the request to the unit on a still screen, against a bare IDR of the same picture; wall time.
pub fn key_frame() -> Vec<Ratio> {
    const KEYS: u64 = 12;
    // As viewers join: the bit rate has room for a key frame again, and the last one is refined.
    const APART: Duration = Duration::from_millis(500);
    let shape = layout(1080, 2400);
    let content = Content::drawn(1080, 2400, 3);
    let drawn = content
        .frames(Motion::Still, 1)
        .next()
        .expect("a frame")
        .rgb;
    let (sender, units) = channel();
    let opener =
        Box::new(|width, height, _| codec::open(Choice::Auto, &Config::new(width, height)));
    let pipeline = Pipeline::start(
        8_000_000,
        opener,
        Arc::new(SystemClock),
        Arc::new(Units(sender)),
    )
    .expect("threads");
    pipeline.streaming(true);
    let notice = FrameNotice {
        layout: shape,
        generation: 1,
        seq: 1,
        capture_us: 0,
    };
    pipeline.push(notice, &drawn.data).expect("a frame");
    let mut frame = Frame::default();
    Intake::new(Level::best())
        .read(Source::Bytes(&drawn.data), shape, &mut frame)
        .expect("a frame");
    let mut bare = open(Tuning::Screen, 1080, 2400);
    let unit = || units.recv_timeout(Duration::from_secs(10)).expect("a unit");
    assert!(unit().unit.key);
    let (mut asked_ms, mut bare_ms) = (Vec::new(), Vec::new());
    for number in 0..KEYS {
        let ask = Ask {
            key: true,
            ..Ask::at((1 + number) * 500_000)
        };
        let start = Instant::now();
        drop(bare.encode(&frame.picture, ask).expect("a unit"));
        bare_ms.push(start.elapsed().as_secs_f64() * 1e3);
        std::thread::sleep(APART);
        units.try_iter().for_each(drop);
        let start = Instant::now();
        pipeline.keyframe();
        while !unit().unit.key {}
        asked_ms.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let sides = (median(&mut asked_ms), median(&mut bare_ms));
    vec![Ratio::new(
        "still screen: key request to unit / bare IDR, phone",
        sides,
        1.15,
        1.05,
    )]
}

/// A still of the newest picture and a screenshot of the region's bytes, whole, against the 40 ms that they may take.
pub fn stills() -> Vec<Ratio> {
    const ROUNDS: usize = 9;
    const MOST_MS: f64 = 40.0;
    let shape = layout(1080, 2400);
    let content = Content::drawn(1080, 2400, 3);
    let pixels = content
        .frames(Motion::Still, 1)
        .next()
        .expect("a frame")
        .rgb
        .data;
    let mut frame = Frame::default();
    Intake::new(Level::best())
        .read(Source::Bytes(&pixels), shape, &mut frame)
        .expect("a frame");
    let yuv = YuvStill {
        picture: frame.picture,
        layout: shape,
        generation: 1,
    };
    let rgb = RgbStill {
        pixels,
        layout: shape,
        generation: 1,
    };
    let timed =
        |make: &dyn Fn()| median(&mut (0..ROUNDS).map(|_| cpu_ms(make)).collect::<Vec<f64>>());
    let still = timed(&|| drop(png::from_picture(&yuv, None).expect("a still")));
    let screenshot = timed(&|| drop(png::from_region(&rgb, None).expect("a still")));
    let small = timed(&|| drop(png::from_region(&rgb, Some(600)).expect("a still")));
    vec![
        Ratio::new("still as PNG / 40 ms, phone", (still, MOST_MS), 1.0, 0.75),
        Ratio::new(
            "screenshot as PNG / 40 ms, phone",
            (screenshot, MOST_MS),
            1.0,
            0.75,
        ),
        Ratio::new(
            "screenshot of 600 px as PNG / 40 ms, phone",
            (small, MOST_MS),
            1.0,
            0.75,
        ),
    ]
}
