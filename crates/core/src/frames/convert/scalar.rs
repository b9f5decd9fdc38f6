//! Plain Rust: the reference of the other levels and what finishes their odd ends.

use super::{CB, CHROMA_ROUND, CHROMA_SHIFT, CR, LUMA, LUMA_ROUND, Pair};

/// # Safety
/// Safe in itself; of the kernels' type.
pub(super) unsafe fn pair<const BPP: usize>(pair: &mut Pair<'_>) {
    columns::<BPP>(pair, 0);
}

/// Converts the columns from an even `start` to the end, repeating the last column of an odd width.
pub(super) fn columns<const BPP: usize>(pair: &mut Pair<'_>, start: usize) {
    let last = pair.width - 1;
    for x in (start..pair.width).step_by(2) {
        let mut sum = [0_i32; 3];
        for (row, source) in [pair.top, pair.bottom].into_iter().enumerate() {
            for column in [x, x + 1] {
                let at = column.min(last) * BPP;
                let pixel = [source[at], source[at + 1], source[at + 2]];
                pair.luma[row][column] = luma(pixel);
                for (total, value) in sum.iter_mut().zip(pixel) {
                    *total += i32::from(value);
                }
            }
        }
        pair.cb[x / 2] = chroma(sum, CB);
        pair.cr[x / 2] = chroma(sum, CR);
    }
}

fn luma(pixel: [u8; 3]) -> u8 {
    let sum: u16 = pixel
        .iter()
        .zip(LUMA)
        .map(|(&value, c)| u16::from(value) * c)
        .sum();
    ((sum + LUMA_ROUND) >> 8) as u8
}

fn chroma(sum: [i32; 3], coefficients: [i16; 3]) -> u8 {
    let total: i32 = sum
        .iter()
        .zip(coefficients)
        .map(|(&value, c)| value * i32::from(c))
        .sum();
    ((total + CHROMA_ROUND) >> CHROMA_SHIFT) as u8
}
