//! Stills as PNG: whole, or scaled by their longest edge with an area average.
//!
//! The fast compression is meant: a phone's screen must be a file in under 40 ms. It stays lossless.

mod rows;
mod scale;
#[cfg(test)]
mod tests;

use png::{BitDepth, ColorType, Compression, Encoder, Filter};

use crate::frames::Layout;
use crate::pipeline::{RgbStill, YuvStill};
use rows::{RgbRows, Rows, YuvRows};

/// Why there is no PNG, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// A longest edge of zero.
    #[error("the longest edge of a still must be at least 1 pixel")]
    Edge,
    /// The writer failed.
    #[error("the still could not be written as PNG: {0}")]
    Write(String),
}

/// A PNG file and its size in pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Png {
    /// The file.
    pub data: Vec<u8>,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

/// The newest picture as PNG; `longest_edge` in pixels, never scaled up.
///
/// # Errors
/// [`PngError`].
pub fn from_picture(still: &YuvStill, longest_edge: Option<u32>) -> Result<Png, PngError> {
    make(
        &mut YuvRows::new(&still.picture),
        still.layout,
        longest_edge,
    )
}

/// The region's own pixels as PNG; `longest_edge` in pixels, never scaled up.
///
/// # Errors
/// [`PngError`].
pub fn from_region(still: &RgbStill, longest_edge: Option<u32>) -> Result<Png, PngError> {
    make(
        &mut RgbRows::new(&still.pixels, still.layout),
        still.layout,
        longest_edge,
    )
}

fn make(rows: &mut dyn Rows, layout: Layout, longest_edge: Option<u32>) -> Result<Png, PngError> {
    let (width, height) =
        scale::fit(layout.width, layout.height, longest_edge).ok_or(PngError::Edge)?;
    let pixels = if (width, height) == (layout.width, layout.height) {
        whole(rows, width as usize, height as usize)
    } else {
        scale::area(rows, layout, width, height)
    };
    let data = write(&pixels, width, height).map_err(|why| PngError::Write(why.to_string()))?;
    Ok(Png {
        data,
        width,
        height,
    })
}

fn whole(rows: &mut dyn Rows, width: usize, height: usize) -> Vec<u8> {
    let mut pixels = vec![0; width * height * 3];
    for (row, out) in pixels.chunks_exact_mut(width * 3).enumerate() {
        rows.row(row, out);
    }
    pixels
}

fn write(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, png::EncodingError> {
    let mut data = Vec::with_capacity(pixels.len() / 4);
    let mut encoder = Encoder::new(&mut data, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    // A screen's rows resemble the row above; trying every filter on each row costs more than it saves.
    encoder.set_filter(Filter::Up);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(data)
}
