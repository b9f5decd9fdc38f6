//! Copy, convert, compare: from a mapping that another process just wrote, so from memory and not from the cache.

use device_core::frames::{
    Frame, Intake, Layout, Level, PixelFormat, Region, RegionWriter, Source,
};

use crate::{Ratio, cpu_ms, median};

/// More frames than the last-level cache holds.
const FRAMES: usize = 8;
const ROUNDS: usize = 6;

/// Regions full of noise-like content that differ in every row.
pub struct Regions {
    pub all: Vec<Region>,
    pub layout: Layout,
}

impl Regions {
    pub fn new(width: u32, height: u32, format: PixelFormat, count: usize) -> Self {
        let layout = Layout {
            width,
            height,
            format,
            bottom_up: false,
        };
        let bytes = layout.bytes().expect("a size");
        let folder = if std::path::Path::new("/dev/shm").is_dir() {
            "/dev/shm"
        } else {
            "/tmp"
        };
        let all = (0..count)
            .map(|number| {
                let path = format!(
                    "{folder}/device-bench-{}-{width}-{number}",
                    std::process::id()
                );
                let region = Region::create(path.as_ref(), bytes).expect("a region");
                let writer = RegionWriter::open(path.as_ref(), bytes).expect("a writer");
                let pixels: Vec<u8> = (0..bytes)
                    .map(|at| (at * 7 + at / 4093 * 13 + number * 31) as u8)
                    .collect();
                writer.write(0, &pixels).expect("it fits");
                region
            })
            .collect();
        Self { all, layout }
    }
}

pub fn ratios(screen: &str, width: u32, height: u32) -> Vec<Ratio> {
    let mut ratios = format_ratios(screen, width, height, PixelFormat::Rgb888);
    if screen == "phone" {
        ratios.extend(format_ratios(
            "phone RGBA",
            width,
            height,
            PixelFormat::Rgba8888,
        ));
    }
    ratios
}

fn format_ratios(screen: &str, width: u32, height: u32, format: PixelFormat) -> Vec<Ratio> {
    let regions = Regions::new(width, height, format, FRAMES);
    let layout = regions.layout;
    let bytes = layout.bytes().expect("a size");
    let mut plain = vec![0_u8; bytes];
    let (mut memcpy, mut sound, mut best, mut scalar, mut same) =
        (vec![], vec![], vec![], vec![], vec![]);
    let mut intakes = [
        Intake::new(Level::best()),
        Intake::new(Level::Scalar),
        Intake::new(Level::best()),
    ];
    let mut frames = [Frame::default(), Frame::default(), Frame::default()];
    // The reference: the C library's copy, out of the same mapping.
    let views: Vec<*const u8> = regions.all.iter().map(Region::start).collect();
    for _ in 0..ROUNDS {
        for &view in &views {
            // SAFETY: the region is mapped for `bytes` bytes and nobody writes it in this bench.
            memcpy.push(cpu_ms(|| unsafe {
                std::ptr::copy_nonoverlapping(view, plain.as_mut_ptr(), bytes)
            }));
        }
        for region in &regions.all {
            sound.push(cpu_ms(|| region.read(0, &mut plain).expect("it fits")));
        }
        for region in &regions.all {
            best.push(cpu_ms(|| {
                intakes[0]
                    .read(Source::Region(region), layout, &mut frames[0])
                    .expect("a frame");
            }));
        }
        for region in &regions.all {
            scalar.push(cpu_ms(|| {
                intakes[1]
                    .read(Source::Region(region), layout, &mut frames[1])
                    .expect("a frame");
            }));
        }
        for region in &regions.all {
            intakes[2]
                .read(Source::Region(region), layout, &mut frames[2])
                .expect("a frame");
            for other in &regions.all {
                std::hint::black_box(other.path());
            }
            same.push(cpu_ms(|| {
                let seen = intakes[2]
                    .read(Source::Region(region), layout, &mut frames[2])
                    .expect("a frame");
                assert!(!seen.changed);
            }));
        }
    }
    let [memcpy, sound, best, scalar, same] =
        [memcpy, sound, best, scalar, same].map(|mut values| median(&mut values));
    vec![
        Ratio::new(
            format!("sound copy / memcpy, {screen}"),
            (sound, memcpy),
            1.15,
            1.0,
        ),
        Ratio::new(
            format!("copy, compare and convert / memcpy, {screen}"),
            (best, memcpy),
            2.0,
            1.5,
        ),
        Ratio::new(
            format!("SIMD / scalar, {screen}"),
            (best, scalar),
            0.25,
            0.15,
        ),
        Ratio::new(
            format!("unchanged frame / memcpy, {screen}"),
            (same, memcpy),
            1.5,
            1.0,
        ),
    ]
}
