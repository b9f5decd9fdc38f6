//! The files are read back by the same crate's decoder; pixels are compared with what went in.

use std::io::Cursor;

use super::{Png, PngError, from_picture, from_region};
use crate::frames::{Frame, Intake, Layout, Level, PixelFormat, Source};
use crate::pipeline::{RgbStill, YuvStill};

fn layout(width: u32, height: u32) -> Layout {
    Layout {
        width,
        height,
        format: PixelFormat::Rgb888,
        bottom_up: false,
    }
}

/// A smooth picture: chroma averaged over four pixels then tells what each of them was.
fn gradient(width: u32, height: u32) -> Vec<u8> {
    let mut pixels = Vec::new();
    for y in 0..height {
        for x in 0..width {
            pixels.extend([
                (x * 255 / width) as u8,
                (y * 255 / height) as u8,
                ((x + y) * 255 / (width + height)) as u8,
            ]);
        }
    }
    pixels
}

fn decode(png: &Png) -> Vec<u8> {
    let mut reader = png::Decoder::new(Cursor::new(&png.data))
        .read_info()
        .expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("a whole PNG");
    assert_eq!((info.width, info.height), (png.width, png.height));
    assert_eq!(info.color_type, png::ColorType::Rgb);
    pixels
}

fn still(pixels: Vec<u8>, layout: Layout) -> RgbStill {
    RgbStill {
        pixels,
        layout,
        generation: 1,
    }
}

#[test]
fn the_region_comes_back_to_the_byte() {
    for (width, height) in [(1, 1), (7, 5), (108, 240)] {
        let pixels = gradient(width, height);
        let png =
            from_region(&still(pixels.clone(), layout(width, height)), None).expect("a still");
        assert_eq!(decode(&png), pixels);
    }
}

#[test]
fn rgba_loses_its_fourth_byte_and_bottom_up_rows_are_turned() {
    let pixels = gradient(6, 4);
    let mut rgba = Vec::new();
    for row in pixels.chunks_exact(18).rev() {
        for pixel in row.chunks_exact(3) {
            rgba.extend([pixel[0], pixel[1], pixel[2], 77]);
        }
    }
    let shape = Layout {
        format: PixelFormat::Rgba8888,
        bottom_up: true,
        ..layout(6, 4)
    };
    assert_eq!(
        decode(&from_region(&still(rgba, shape), None).expect("a still")),
        pixels
    );
}

#[test]
fn a_picture_comes_back_within_three_and_without_its_padding() {
    for (width, height) in [(108, 240), (61, 33)] {
        let pixels = gradient(width, height);
        let mut frame = Frame::default();
        let shape = layout(width, height);
        Intake::new(Level::best())
            .read(Source::Bytes(&pixels), shape, &mut frame)
            .expect("a frame");
        let png = from_picture(
            &YuvStill {
                picture: frame.picture,
                layout: shape,
                generation: 1,
            },
            None,
        )
        .expect("a still");
        for (got, want) in decode(&png).iter().zip(&pixels) {
            // Neighbours of a gradient share chroma: a step of the gradient plus the rounding of both ways.
            assert!(got.abs_diff(*want) <= 8, "{got} is not {want}");
        }
    }
}

#[test]
fn a_longest_edge_keeps_the_shape_and_averages_areas() {
    let mut pixels = Vec::new();
    for y in 0..4_u32 {
        for x in 0..8_u32 {
            pixels.extend(if (x + y) % 2 == 0 {
                [255, 0, 100]
            } else {
                [0, 200, 100]
            });
        }
    }
    let png = from_region(&still(pixels, layout(8, 4)), Some(4)).expect("a still");
    assert_eq!((png.width, png.height), (4, 2));
    for pixel in decode(&png).chunks_exact(3) {
        assert_eq!(pixel, [128, 100, 100]);
    }
}

#[test]
fn an_uneven_scale_keeps_white_white_and_the_mean_of_a_gradient() {
    let white = from_region(
        &still(vec![255; 1080 * 24 * 3], layout(1080, 24)),
        Some(333),
    )
    .expect("a still");
    assert!(decode(&white).iter().all(|&value| value == 255));
    let pixels = gradient(101, 67);
    let mean =
        |values: &[u8]| values.iter().map(|&v| f64::from(v)).sum::<f64>() / values.len() as f64;
    let small = from_region(&still(pixels.clone(), layout(101, 67)), Some(37)).expect("a still");
    assert!((mean(&decode(&small)) - mean(&pixels)).abs() < 1.0);
}

#[test]
fn an_edge_of_zero_is_an_error_and_a_larger_one_changes_nothing() {
    let pixels = gradient(10, 20);
    assert_eq!(
        from_region(&still(pixels.clone(), layout(10, 20)), Some(0)),
        Err(PngError::Edge)
    );
    let png = from_region(&still(pixels.clone(), layout(10, 20)), Some(4000)).expect("a still");
    assert_eq!(decode(&png), pixels);
}
