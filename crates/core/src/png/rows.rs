//! Where a still's RGB rows come from.

use crate::frames::{Layout, Picture};

/// Gives rows of RGB, top first.
pub(super) trait Rows {
    /// Fills `out` (3 bytes a pixel) with a row.
    fn row(&mut self, row: usize, out: &mut [u8]);
}

/// Rows of a frame in RGB or RGBA.
pub(super) struct RgbRows<'a> {
    pixels: &'a [u8],
    layout: Layout,
}

impl<'a> RgbRows<'a> {
    pub(super) fn new(pixels: &'a [u8], layout: Layout) -> Self {
        Self { pixels, layout }
    }
}

impl Rows for RgbRows<'_> {
    fn row(&mut self, row: usize, out: &mut [u8]) {
        let bytes = self.layout.row_bytes();
        let row = if self.layout.bottom_up {
            self.layout.height as usize - 1 - row
        } else {
            row
        };
        let source = &self.pixels[row * bytes..(row + 1) * bytes];
        match self.layout.format.bytes_per_pixel() {
            3 => out.copy_from_slice(source),
            _ => {
                for (to, from) in out.chunks_exact_mut(3).zip(source.chunks_exact(4)) {
                    to.copy_from_slice(&from[..3]);
                }
            }
        }
    }
}

/// Rows of a picture in I420, BT.709 limited.
pub(super) struct YuvRows<'a> {
    picture: &'a Picture,
    /// The row's chroma terms for red, green and blue, one for each pixel.
    terms: [Vec<i32>; 3],
}

/// Fixed point: 16 bits behind the point. A sum stays far within 32 bits.
const POINT: i32 = 16;
const ROUND: i32 = 1 << (POINT - 1);
const LUMA: i32 = fixed(255.0 / 219.0);
const RED_CR: i32 = fixed(1.5748 * 255.0 / 224.0);
const GREEN_CB: i32 = fixed(-0.187_324 * 255.0 / 224.0);
const GREEN_CR: i32 = fixed(-0.468_124 * 255.0 / 224.0);
const BLUE_CB: i32 = fixed(1.8556 * 255.0 / 224.0);

const fn fixed(value: f64) -> i32 {
    let scaled = value * (1 << POINT) as f64;
    (if scaled < 0.0 {
        scaled - 0.5
    } else {
        scaled + 0.5
    }) as i32
}

impl<'a> YuvRows<'a> {
    pub(super) fn new(picture: &'a Picture) -> Self {
        Self {
            picture,
            terms: std::array::from_fn(|_| vec![0; picture.width()]),
        }
    }
}

impl Rows for YuvRows<'_> {
    fn row(&mut self, row: usize, out: &mut [u8]) {
        let (y, u, v) = self.picture.planes();
        let wide = self.picture.width();
        let luma = &y[row * wide..(row + 1) * wide];
        let chroma = row / 2 * (wide / 2)..(row / 2 + 1) * (wide / 2);
        let [red, green, blue] = &mut self.terms;
        for (pair, (&u, &v)) in u[chroma.clone()].iter().zip(&v[chroma]).enumerate() {
            let (u, v) = (i32::from(u) - 128, i32::from(v) - 128);
            let at = pair * 2;
            red[at..at + 2].fill(v * RED_CR + ROUND);
            green[at..at + 2].fill(u * GREEN_CB + v * GREEN_CR + ROUND);
            blue[at..at + 2].fill(u * BLUE_CB + ROUND);
        }
        for (at, pixel) in out.chunks_exact_mut(3).enumerate() {
            let light = (i32::from(luma[at]) - 16) * LUMA;
            pixel[0] = clamp((light + red[at]) >> POINT);
            pixel[1] = clamp((light + green[at]) >> POINT);
            pixel[2] = clamp((light + blue[at]) >> POINT);
        }
    }
}

fn clamp(value: i32) -> u8 {
    value.clamp(0, 255) as u8
}
