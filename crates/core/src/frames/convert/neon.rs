//! 16 pixels of two rows at a time with NEON.

use std::arch::aarch64::{
    int16x8_t, uint8x8_t, uint8x16_t, uint8x16x3_t, uint16x8_t, vcombine_s16, vcombine_u8,
    vdup_n_u8, vdupq_n_s32, vdupq_n_u16, vget_high_s16, vget_high_u8, vget_low_s16, vget_low_u8,
    vld3q_u8, vld4q_u8, vmlal_n_s16, vmlal_u8, vmovn_s32, vpadalq_u8, vpaddlq_u8, vqmovun_s16,
    vreinterpretq_s16_u16, vshrn_n_u16, vshrq_n_s32, vst1_u8, vst1q_u8,
};

use super::{CB, CHROMA_ROUND, CHROMA_SHIFT, CR, LUMA, LUMA_ROUND, Pair, scalar};

const BLOCK: usize = 16;

/// # Safety
/// The slices have the lengths that `Pair::check` asks for.
pub(super) unsafe fn pair<const BPP: usize>(pair: &mut Pair<'_>) {
    let mut x = 0;
    while x + BLOCK <= pair.width {
        // SAFETY: the block's pixels are within the width.
        unsafe { block::<BPP>(pair, x) };
        x += BLOCK;
    }
    if x == pair.width {
        return;
    }
    if x > 0 && pair.width.is_multiple_of(2) {
        // The last block once more over some columns that are done: cheaper than an odd end.
        // SAFETY: as above, with an even start.
        unsafe { block::<BPP>(pair, pair.width - BLOCK) };
    } else {
        scalar::columns::<BPP>(pair, x);
    }
}

/// # Safety
/// Columns `x..x + 16` are in the row.
unsafe fn load<const BPP: usize>(row: *const u8, x: usize) -> uint8x16x3_t {
    // SAFETY: the caller's promise; NEON is part of every aarch64 CPU.
    unsafe {
        if BPP == 4 {
            let all = vld4q_u8(row.add(x * 4));
            uint8x16x3_t(all.0, all.1, all.2)
        } else {
            vld3q_u8(row.add(x * 3))
        }
    }
}

/// # Safety
/// Columns `x..x + 16` are in the rows and the outputs; `x` is even.
unsafe fn block<const BPP: usize>(pair: &mut Pair<'_>, x: usize) {
    // SAFETY: the caller's promise for loads and stores; NEON is part of every aarch64 CPU.
    unsafe {
        let top = load::<BPP>(pair.top.as_ptr(), x);
        let bottom = load::<BPP>(pair.bottom.as_ptr(), x);
        vst1q_u8(pair.luma[0].as_mut_ptr().add(x), luma(&top));
        vst1q_u8(pair.luma[1].as_mut_ptr().add(x), luma(&bottom));
        let sum = |one: uint8x16_t, two: uint8x16_t| -> int16x8_t {
            let both: uint16x8_t = vpadalq_u8(vpaddlq_u8(one), two);
            vreinterpretq_s16_u16(both)
        };
        let sums = [
            sum(top.0, bottom.0),
            sum(top.1, bottom.1),
            sum(top.2, bottom.2),
        ];
        vst1_u8(pair.cb.as_mut_ptr().add(x / 2), chroma(sums, CB));
        vst1_u8(pair.cr.as_mut_ptr().add(x / 2), chroma(sums, CR));
    }
}

fn luma(pixels: &uint8x16x3_t) -> uint8x16_t {
    // SAFETY: NEON is part of every aarch64 CPU.
    unsafe {
        let half = |r: uint8x8_t, g: uint8x8_t, b: uint8x8_t| {
            let mut sum = vdupq_n_u16(LUMA_ROUND);
            sum = vmlal_u8(sum, r, vdup_n_u8(LUMA[0] as u8));
            sum = vmlal_u8(sum, g, vdup_n_u8(LUMA[1] as u8));
            sum = vmlal_u8(sum, b, vdup_n_u8(LUMA[2] as u8));
            vshrn_n_u16::<8>(sum)
        };
        vcombine_u8(
            half(
                vget_low_u8(pixels.0),
                vget_low_u8(pixels.1),
                vget_low_u8(pixels.2),
            ),
            half(
                vget_high_u8(pixels.0),
                vget_high_u8(pixels.1),
                vget_high_u8(pixels.2),
            ),
        )
    }
}

fn chroma(sums: [int16x8_t; 3], coefficients: [i16; 3]) -> uint8x8_t {
    // SAFETY: NEON is part of every aarch64 CPU.
    unsafe {
        let mut low = vdupq_n_s32(CHROMA_ROUND);
        let mut high = low;
        for (sum, coefficient) in sums.into_iter().zip(coefficients) {
            low = vmlal_n_s16(low, vget_low_s16(sum), coefficient);
            high = vmlal_n_s16(high, vget_high_s16(sum), coefficient);
        }
        let low = vmovn_s32(vshrq_n_s32::<CHROMA_SHIFT>(low));
        let high = vmovn_s32(vshrq_n_s32::<CHROMA_SHIFT>(high));
        vqmovun_s16(vcombine_s16(low, high))
    }
}
