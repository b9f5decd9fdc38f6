//! Against a 64-bit float conversion, and level against level.

use super::{Converter, Level, Pair, SLACK};
use crate::frames::Picture;

fn noise(len: usize, seed: u32) -> Vec<u8> {
    let mut state = seed | 1;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[2]
    })
    .take(len)
    .collect()
}

/// Converts a whole image, row pair by row pair, as the intake does.
fn convert(pixels: &[u8], width: usize, height: usize, bpp: usize, level: Level) -> Picture {
    let converter = Converter::new(bpp, level);
    let mut picture = Picture::new(width, height);
    let even = picture.width();
    let mut padded = pixels.to_vec();
    padded.extend([0xee; SLACK]);
    let (y, u, v) = picture.planes_mut();
    for row in (0..height).step_by(2) {
        let (top, bottom) = (row * width * bpp, (row + 1).min(height - 1) * width * bpp);
        let (first, second) = y[row * even..(row + 2) * even].split_at_mut(even);
        let chroma = row / 2 * even / 2..(row / 2 + 1) * even / 2;
        converter.pair(Pair {
            width,
            top: &padded[top..],
            bottom: &padded[bottom..],
            luma: [first, second],
            cb: &mut u[chroma.clone()],
            cr: &mut v[chroma],
        });
    }
    picture
}

fn reference(
    pixels: &[u8],
    width: usize,
    height: usize,
    bpp: usize,
) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let (even_w, even_h) = (width.next_multiple_of(2), height.next_multiple_of(2));
    let at = |x: usize, y: usize, c: usize| {
        f64::from(pixels[(y.min(height - 1) * width + x.min(width - 1)) * bpp + c])
    };
    let luma = |rgb: [f64; 3]| 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
    let mut planes = (Vec::new(), Vec::new(), Vec::new());
    for y in 0..even_h {
        for x in 0..even_w {
            planes
                .0
                .push(16.0 + 219.0 / 255.0 * luma([at(x, y, 0), at(x, y, 1), at(x, y, 2)]));
        }
    }
    for y in (0..even_h).step_by(2) {
        for x in (0..even_w).step_by(2) {
            let mean = [0, 1, 2].map(|c| {
                (at(x, y, c) + at(x + 1, y, c) + at(x, y + 1, c) + at(x + 1, y + 1, c)) / 4.0
            });
            planes
                .1
                .push(128.0 + 224.0 / 255.0 * (mean[2] - luma(mean)) / 1.8556);
            planes
                .2
                .push(128.0 + 224.0 / 255.0 * (mean[0] - luma(mean)) / 1.5748);
        }
    }
    planes
}

fn assert_close(pixels: &[u8], width: usize, height: usize, bpp: usize, level: Level) {
    let picture = convert(pixels, width, height, bpp, level);
    let (y, u, v) = picture.planes();
    let (want_y, want_u, want_v) = reference(pixels, width, height, bpp);
    for (name, got, want) in [("y", y, want_y), ("u", u, want_u), ("v", v, want_v)] {
        assert_eq!(got.len(), want.len());
        for (index, (&got, want)) in got.iter().zip(want).enumerate() {
            let error = (f64::from(got) - want.round()).abs();
            assert!(
                error <= 1.0,
                "{level:?} {width}x{height}x{bpp} {name}[{index}]: {got}, exactly {want}"
            );
        }
    }
}

#[test]
fn noise_of_every_size_class_is_within_one_of_the_float_conversion() {
    for bpp in [3, 4] {
        for (width, height) in [
            (1, 1),
            (2, 2),
            (3, 5),
            (31, 4),
            (32, 2),
            (33, 3),
            (62, 7),
            (97, 2),
            (128, 6),
            (1080, 4),
        ] {
            let pixels = noise(width * height * bpp, (width * 31 + height) as u32);
            for level in Level::available() {
                assert_close(&pixels, width, height, bpp, level);
            }
        }
    }
}

#[test]
fn every_corner_of_the_colour_cube_and_every_grey_is_within_one() {
    let mut pixels = Vec::new();
    let steps = [
        0_u8, 1, 2, 15, 16, 17, 127, 128, 129, 200, 235, 240, 253, 254, 255,
    ];
    for r in steps {
        for g in steps {
            for b in steps {
                // Twice in a row and on both rows: chroma then belongs to this colour alone.
                pixels.extend([r, g, b, r, g, b]);
            }
        }
    }
    for grey in 0..=255 {
        pixels.extend([grey; 6]);
    }
    let width = pixels.len() / 3;
    pixels.extend_from_within(..);
    for level in Level::available() {
        assert_close(&pixels, width, 2, 3, level);
    }
}

#[test]
fn white_black_and_primaries_have_the_textbook_values() {
    for (rgb, want) in [
        ([255, 255, 255], [235, 128, 128]),
        ([0, 0, 0], [16, 128, 128]),
        ([255, 0, 0], [63, 102, 240]),
        ([0, 255, 0], [173, 42, 26]),
        ([0, 0, 255], [32, 240, 118]),
    ] {
        let pixels = rgb.repeat(64 * 2);
        for level in Level::available() {
            let picture = convert(&pixels, 64, 2, 3, level);
            let (y, u, v) = picture.planes();
            for (got, want) in [y[0], u[0], v[0]].into_iter().zip(want) {
                assert!(
                    i32::abs(i32::from(got) - want) <= 1,
                    "{rgb:?}: {:?}",
                    (y[0], u[0], v[0])
                );
            }
        }
    }
}

#[test]
fn every_level_gives_the_same_bytes() {
    for bpp in [3, 4] {
        for (width, height) in [
            (1, 1),
            (33, 3),
            (34, 2),
            (63, 2),
            (64, 4),
            (95, 4),
            (96, 5),
            (1081, 3),
        ] {
            let pixels = noise(width * height * bpp, 5);
            let want = convert(&pixels, width, height, bpp, Level::Scalar);
            for level in Level::available() {
                let got = convert(&pixels, width, height, bpp, level);
                assert!(got == want, "{level:?} {width}x{height}x{bpp}");
            }
        }
    }
}

#[test]
fn an_odd_size_repeats_its_last_column_and_row() {
    let pixels = noise(5 * 3 * 3, 9);
    let picture = convert(&pixels, 5, 3, 3, Level::best());
    assert_eq!((picture.width(), picture.height()), (6, 4));
    let (y, _, _) = picture.planes();
    for row in 0..4 {
        assert_eq!(y[row * 6 + 5], y[row * 6 + 4], "last column of row {row}");
    }
    assert_eq!(y[3 * 6..4 * 6], y[2 * 6..3 * 6], "last row");
}
