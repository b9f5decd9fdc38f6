//! What must survive any bytes. The fuzz targets and the seeded tests run the same bodies.

use crate::codec::bitstream::{Sps, check_unit, first_macroblock, nals, split_units};
use crate::codec::rate::{Plan, Rate, Scene, Seen, Verdict};
use crate::frames::{Frame, Intake, Layout, Level, PixelFormat, Source};

/// The bitstream reader.
///
/// # Panics
/// When it gives more than it was given.
pub fn bitstream(bytes: &[u8]) {
    let mut total = 0;
    for nal in nals(bytes) {
        let _ = (Sps::parse(nal), first_macroblock(nal));
        total += nal.len();
    }
    assert!(total <= bytes.len(), "NAL units are parts of the stream");
    let _ = check_unit(bytes);
    let grown: usize = split_units(bytes).iter().map(Vec::len).sum();
    assert!(
        grown <= bytes.len() * 2,
        "a start code of three bytes grows by one"
    );
}

/// Frames of any shape with any number of bytes behind them: the first ten bytes are the notice.
///
/// # Panics
/// When a frame is taken that has not all its bytes.
pub fn frames(bytes: &[u8]) {
    let Some((notice, pixels)) = bytes.split_first_chunk::<10>() else {
        return;
    };
    let number = |at: usize| {
        u32::from_le_bytes([notice[at], notice[at + 1], notice[at + 2], notice[at + 3]])
    };
    // Half of the shapes are small enough to fit what is there.
    let bits = if notice[9] & 1 == 0 { 0x1f } else { u32::MAX };
    let layout = Layout {
        width: number(0) & bits,
        height: number(4) & bits,
        format: if notice[8] & 1 == 0 {
            PixelFormat::Rgb888
        } else {
            PixelFormat::Rgba8888
        },
        bottom_up: notice[8] & 2 != 0,
    };
    let read =
        Intake::new(Level::best()).read(Source::Bytes(pixels), layout, &mut Frame::default());
    if read.is_ok() {
        assert!(
            layout.bytes().is_ok_and(|need| need <= pixels.len()),
            "{layout:?} of {}",
            pixels.len()
        );
    }
}

/// Rate control: each 16 bytes are a picture, the size of its unit among them.
///
/// # Panics
/// When a quantizer is out of range, or two seconds carry more than the bound.
pub fn rate(bytes: &[u8]) {
    let mut rate = Rate::new(1_000_000);
    let (mut now_us, mut sent) = (3_000_000, Vec::new());
    for step in bytes.chunks_exact(16).take(200) {
        let word = |at: usize| {
            u64::from(u32::from_le_bytes([
                step[at],
                step[at + 1],
                step[at + 2],
                step[at + 3],
            ]))
        };
        now_us += word(0) % 200_000;
        let scene = Scene {
            now_us,
            key: step[4] & 1 != 0,
            refine: step[4] & 2 != 0,
            scroll: step[4] & 4 != 0,
            little: step[4] & 8 != 0,
            seen: Seen {
                change: word(8) as f64,
                detail: word(12) as f64,
            },
        };
        let Plan::Encode { qp, key } = rate.plan(&scene) else {
            continue;
        };
        assert!((10..=50).contains(&qp), "{qp}");
        let bits = u64::from(step[5]) * 16_384;
        let mut verdict = rate.judge(&scene, qp, key, bits, false);
        if let Verdict::Again { qp } = verdict {
            assert!((10..=50).contains(&qp), "{qp}");
            verdict = rate.judge(&scene, qp, true, bits, true);
        }
        if verdict == Verdict::Send {
            sent.push((now_us, bits));
            let recent = sent.iter().filter(|(at, _)| at + 2_000_000 >= now_us);
            let total: u64 = recent.map(|(_, bits)| bits).sum();
            assert!(total <= 2_500_000, "{total} bits in two seconds");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{frames, rate};
    use crate::codec::testing::Random;

    #[test]
    fn a_hundred_thousand_frames_of_any_shape_are_taken_or_refused() {
        let mut random = Random::new(0xf4a3);
        for _ in 0..100_000 {
            let bytes = random.bytes(600);
            frames(&bytes);
        }
    }

    #[test]
    fn rate_control_survives_and_keeps_its_bound_on_random_pictures() {
        let mut random = Random::new(0x4a7e);
        for _ in 0..1_500 {
            let bytes = random.bytes(16 * 100);
            rate(&bytes);
        }
    }
}
