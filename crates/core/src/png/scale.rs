//! Scaling down by area average: every source pixel counts by the part of it that a target pixel covers.

use super::rows::Rows;
use crate::frames::Layout;

/// Weights have 12 bits behind the point: with 8-bit values over a row of 16,384 they stay in 32 bits.
const ONE: u32 = 1 << 12;

/// The size with this longest edge and the same shape; never larger than the source. `None`: an edge of zero.
pub(super) fn fit(width: u32, height: u32, longest_edge: Option<u32>) -> Option<(u32, u32)> {
    let longest = width.max(height);
    match longest_edge {
        None => Some((width, height)),
        Some(0) => None,
        Some(edge) if edge >= longest => Some((width, height)),
        Some(edge) => {
            let part = |side: u32| {
                let scaled = (u64::from(side) * u64::from(edge) + u64::from(longest) / 2)
                    / u64::from(longest);
                u32::try_from(scaled).unwrap_or(1).max(1)
            };
            Some((part(width), part(height)))
        }
    }
}

/// The source pixels from `first` on that one target pixel covers, with their weights; they add up to `ONE`.
struct Span {
    first: usize,
    weights: Vec<u32>,
}

fn spans(source: u32, target: u32) -> Vec<Span> {
    let (source, target) = (u64::from(source), u64::from(target));
    (0..target)
        .map(|at| {
            // In units of 1/target of a source pixel, so that every bound is a whole number.
            let (start, end) = (at * source, (at + 1) * source);
            let (first, last) = (start / target, (end - 1) / target);
            let mut weights: Vec<u32> = (first..=last)
                .map(|pixel| {
                    let covered = end.min((pixel + 1) * target) - start.max(pixel * target);
                    (covered * u64::from(ONE) / source) as u32
                })
                .collect();
            // What rounding down lost goes to the middle, so that white stays white.
            let lost = ONE - weights.iter().sum::<u32>();
            let middle = weights.len() / 2;
            weights[middle] += lost;
            Span {
                first: first as usize,
                weights,
            }
        })
        .collect()
}

/// The scaled RGB pixels.
pub(super) fn area(rows: &mut dyn Rows, layout: Layout, width: u32, height: u32) -> Vec<u8> {
    let columns = spans(layout.width, width);
    let mut source = vec![0; layout.width as usize * 3];
    let mut narrow = vec![0_u32; width as usize * 3];
    let mut narrow_row = None;
    let mut total = vec![0_u32; width as usize * 3];
    let mut out = Vec::with_capacity(width as usize * height as usize * 3);
    for span in spans(layout.height, height) {
        total.fill(ONE * ONE / 2);
        for (row, &weight) in (span.first..).zip(&span.weights) {
            // Neighbours share the row that lies across their border.
            if narrow_row != Some(row) {
                rows.row(row, &mut source);
                squeeze(&source, &columns, &mut narrow);
                narrow_row = Some(row);
            }
            for (sum, &value) in total.iter_mut().zip(&narrow) {
                *sum = sum.wrapping_add(value * weight);
            }
        }
        out.extend(total.iter().map(|sum| (sum >> 24) as u8));
    }
    out
}

/// One row made narrower; values keep 12 bits behind the point.
fn squeeze(source: &[u8], columns: &[Span], narrow: &mut [u32]) {
    for (out, span) in narrow.chunks_exact_mut(3).zip(columns) {
        let mut sum = [0; 3];
        for (pixel, &weight) in source[span.first * 3..].chunks_exact(3).zip(&span.weights) {
            for (sum, &value) in sum.iter_mut().zip(pixel) {
                *sum += u32::from(value) * weight;
            }
        }
        out.copy_from_slice(&sum);
    }
}
