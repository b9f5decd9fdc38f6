//! What an encoded stream looks like, by an independent decoder: PSNR and SSIM of luma.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use device_core::frames::Picture;

/// Quality of one decoded picture.
#[derive(Debug, Clone, Copy)]
pub struct Quality {
    /// Decibels, at most 60.
    pub psnr: f64,
    /// 0 to 1.
    pub ssim: f64,
}

/// The worst of a stream, in decibels.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    /// Of the pictures sent, each against its own source.
    pub worst_sent: f64,
    /// Of what was on the screen, against each picture that should have been.
    pub worst_shown: f64,
}

/// Decodes `stream` and compares each picture with what was encoded; `None` without ffmpeg.
///
/// # Panics
/// As [`decode`].
pub fn measure(stream: Vec<u8>, sources: &[&Picture]) -> Option<Vec<Quality>> {
    let mut found = Vec::with_capacity(sources.len());
    let (width, height) = size(sources)?;
    decode(stream, (width, height), sources.len(), |at, decoded| {
        let (luma, _, _) = sources[at].planes();
        found.push(Quality {
            psnr: psnr(luma, decoded),
            ssim: ssim(luma, decoded, width, height),
        });
    })?;
    Some(found)
}

/// Decodes `stream`, whose units show the pictures at `sent`, and compares as a viewer would that knows what should be
/// there: each decoded picture stays until the next. `None` without ffmpeg.
///
/// # Panics
/// As [`decode`].
pub fn seen(stream: Vec<u8>, pictures: &[&Picture], sent: &[usize]) -> Option<Seen> {
    let mut worst = Seen {
        worst_sent: 60.0,
        worst_shown: 60.0,
    };
    decode(stream, size(pictures)?, sent.len(), |at, decoded| {
        let until = sent.get(at + 1).copied().unwrap_or(pictures.len());
        let against = |index: usize| psnr(pictures[index].planes().0, decoded);
        let own = against(sent[at]);
        worst.worst_sent = worst.worst_sent.min(own);
        worst.worst_shown = (sent[at] + 1..until)
            .map(against)
            .fold(worst.worst_shown.min(own), f64::min);
    })?;
    Some(worst)
}

fn size(pictures: &[&Picture]) -> Option<(usize, usize)> {
    pictures
        .first()
        .map(|first| (first.width(), first.height()))
}

/// Decodes `stream` with ffmpeg and gives each picture's luma in order; `None` without ffmpeg.
///
/// # Panics
/// When the stream does not decode, or not to `count` pictures.
fn decode(
    stream: Vec<u8>,
    (width, height): (usize, usize),
    count: usize,
    mut picture: impl FnMut(usize, &[u8]),
) -> Option<()> {
    let mut child = Command::new("ffmpeg")
        .args([
            "-v", "error", "-xerror", "-f", "h264", "-i", "-", "-vsync", "0", "-f", "rawvideo", "-",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    let mut output = child.stdout.take()?;
    let writer = std::thread::spawn(move || input.write_all(&stream));
    let mut decoded = vec![0; width * height * 3 / 2];
    for at in 0..count {
        output
            .read_exact(&mut decoded)
            .expect("each unit decodes to a picture");
        picture(at, &decoded[..width * height]);
    }
    assert_eq!(
        output.read(&mut decoded).ok(),
        Some(0),
        "no picture more than units"
    );
    assert!(
        child.wait().is_ok_and(|status| status.success()),
        "the stream decodes without an error"
    );
    writer
        .join()
        .expect("the writer ends")
        .expect("ffmpeg reads the whole stream");
    Some(())
}

fn psnr(one: &[u8], other: &[u8]) -> f64 {
    let squares: u64 = one
        .iter()
        .zip(other)
        .map(|(a, b)| u64::from(a.abs_diff(*b)).pow(2))
        .sum();
    let mean = squares as f64 / one.len() as f64;
    if mean == 0.0 {
        60.0
    } else {
        (10.0 * (255.0 * 255.0 / mean).log10()).min(60.0)
    }
}

/// Mean over blocks of eight by eight.
fn ssim(one: &[u8], other: &[u8], width: usize, height: usize) -> f64 {
    let (mut sum, mut blocks) = (0.0, 0.0);
    for top in (0..height / 8).map(|at| at * 8) {
        for left in (0..width / 8).map(|at| at * 8) {
            let (mut a, mut b, mut aa, mut bb, mut ab) = (0_u32, 0_u32, 0_u32, 0_u32, 0_u32);
            for row in top..top + 8 {
                let at = row * width + left;
                for (&x, &y) in one[at..at + 8].iter().zip(&other[at..at + 8]) {
                    let (x, y) = (u32::from(x), u32::from(y));
                    a += x;
                    b += y;
                    aa += x * x;
                    bb += y * y;
                    ab += x * y;
                }
            }
            let [a, b, aa, bb, ab] = [a, b, aa, bb, ab].map(f64::from);
            let (ma, mb) = (a / 64.0, b / 64.0);
            let (va, vb, cov) = (
                aa / 64.0 - ma * ma,
                bb / 64.0 - mb * mb,
                ab / 64.0 - ma * mb,
            );
            let (c1, c2) = (6.5025, 58.5225);
            sum += (2.0 * ma * mb + c1) * (2.0 * cov + c2)
                / ((ma * ma + mb * mb + c1) * (va + vb + c2));
            blocks += 1.0;
        }
    }
    if blocks == 0.0 { 1.0 } else { sum / blocks }
}
