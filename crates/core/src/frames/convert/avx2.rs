//! 32 pixels of two rows at a time with AVX2.

use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm_unpackhi_epi16, _mm_unpacklo_epi16,
    _mm256_add_epi16, _mm256_add_epi32, _mm256_castsi128_si256, _mm256_castsi256_si128,
    _mm256_extracti128_si256, _mm256_hadd_epi32, _mm256_inserti128_si256, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_packs_epi32, _mm256_packus_epi16,
    _mm256_packus_epi32, _mm256_permutevar8x32_epi32, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi8, _mm256_setr_epi32,
    _mm256_shuffle_epi8, _mm256_srai_epi32, _mm256_srli_epi16, _mm256_storeu_si256,
};

use super::{CB, CHROMA_ROUND, CHROMA_SHIFT, CR, LUMA, LUMA_ROUND, Pair, scalar};

const BLOCK: usize = 32;

/// # Safety
/// The CPU has AVX2; the slices have the lengths that `Pair::check` asks for.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn pair<const BPP: usize>(pair: &mut Pair<'_>) {
    let mut x = 0;
    while x + BLOCK <= pair.width {
        // SAFETY: the block's pixels are within the width; its last load runs at most 8 bytes past
        // its pixels, which the rows' slack covers.
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

/// Eight pixels, spread so that a 128-bit lane holds four of them from its first byte on.
#[target_feature(enable = "avx2")]
unsafe fn load<const BPP: usize>(row: *const u8, x: usize) -> __m256i {
    // SAFETY: the caller's block lies in the row, which has slack behind it: RGB's second half runs 4 bytes over.
    unsafe {
        let at = row.add(x * BPP);
        if BPP == 4 {
            return _mm256_loadu_si256(at.cast());
        }
        // Two loads leave the shuffling unit, which limits this loop, to the shuffles that follow.
        let low = _mm256_castsi128_si256(_mm_loadu_si128(at.cast()));
        _mm256_inserti128_si256::<1>(low, _mm_loadu_si128(at.add(12).cast()))
    }
}

/// Shuffles: four pixels as R G B G each, and two pairs of pixels as R R G G B B 0 0 each.
#[target_feature(enable = "avx2")]
fn shuffles<const BPP: usize>() -> (__m256i, __m256i) {
    const N: i8 = -1;
    if BPP == 4 {
        (
            _mm256_setr_epi8(
                0, 1, 2, 1, 4, 5, 6, 5, 8, 9, 10, 9, 12, 13, 14, 13, //
                0, 1, 2, 1, 4, 5, 6, 5, 8, 9, 10, 9, 12, 13, 14, 13,
            ),
            _mm256_setr_epi8(
                0, 4, 1, 5, 2, 6, N, N, 8, 12, 9, 13, 10, 14, N, N, //
                0, 4, 1, 5, 2, 6, N, N, 8, 12, 9, 13, 10, 14, N, N,
            ),
        )
    } else {
        (
            _mm256_setr_epi8(
                0, 1, 2, 1, 3, 4, 5, 4, 6, 7, 8, 7, 9, 10, 11, 10, //
                0, 1, 2, 1, 3, 4, 5, 4, 6, 7, 8, 7, 9, 10, 11, 10,
            ),
            _mm256_setr_epi8(
                0, 3, 1, 4, 2, 5, N, N, 6, 9, 7, 10, 8, 11, N, N, //
                0, 3, 1, 4, 2, 5, N, N, 6, 9, 7, 10, 8, 11, N, N,
            ),
        )
    }
}

/// # Safety
/// Columns `x..x + 32` are in the rows and the outputs, with slack behind the rows; `x` is even.
#[target_feature(enable = "avx2")]
unsafe fn block<const BPP: usize>(pair: &mut Pair<'_>, x: usize) {
    let (spread, paired) = shuffles::<BPP>();
    // Green's coefficient is beyond a signed byte, so it comes in two halves with its value twice.
    let half = LUMA[1] / 2;
    let weights = [
        LUMA[0] as u8,
        half as u8,
        LUMA[2] as u8,
        (LUMA[1] - half) as u8,
    ];
    let weights = _mm256_set1_epi32(i32::from_le_bytes(weights));
    let ones = _mm256_set1_epi8(1);
    let mut sums = [_mm256_set1_epi16(0); 4];
    for (row, source) in [pair.top.as_ptr(), pair.bottom.as_ptr()]
        .into_iter()
        .enumerate()
    {
        let mut luma = [_mm256_set1_epi16(0); 4];
        for part in 0..4 {
            // SAFETY: the caller's promise.
            let pixels = unsafe { load::<BPP>(source, x + part * 8) };
            luma[part] = _mm256_maddubs_epi16(_mm256_shuffle_epi8(pixels, spread), weights);
            let pairs = _mm256_maddubs_epi16(_mm256_shuffle_epi8(pixels, paired), ones);
            sums[part] = _mm256_add_epi16(sums[part], pairs);
        }
        let out = luma_bytes(luma);
        // SAFETY: the caller's promise: 32 bytes from `x` on are in the row.
        unsafe { _mm256_storeu_si256(pair.luma[row].as_mut_ptr().add(x).cast::<__m256i>(), out) };
    }
    let cb = chroma_words(sums, CB);
    let cr = chroma_words(sums, CR);
    let both = _mm256_packus_epi16(cb, cr);
    let (low, high) = (
        _mm256_castsi256_si128(both),
        _mm256_extracti128_si256::<1>(both),
    );
    // SAFETY: the caller's promise: 16 bytes from `x / 2` on are in the chroma rows.
    unsafe {
        _mm_storeu_si128(
            pair.cb.as_mut_ptr().add(x / 2).cast(),
            _mm_unpacklo_epi16(low, high),
        );
        _mm_storeu_si128(
            pair.cr.as_mut_ptr().add(x / 2).cast(),
            _mm_unpackhi_epi16(low, high),
        );
    }
}

#[target_feature(enable = "avx2")]
fn luma_bytes(parts: [__m256i; 4]) -> __m256i {
    let ones = _mm256_set1_epi16(1);
    let round = _mm256_set1_epi16(LUMA_ROUND as i16);
    // Each sum is two words of a pixel, both positive; together they need all 16 bits.
    let half = |first: __m256i, second: __m256i| {
        let (first, second) = (
            _mm256_madd_epi16(first, ones),
            _mm256_madd_epi16(second, ones),
        );
        _mm256_srli_epi16::<8>(_mm256_add_epi16(_mm256_packus_epi32(first, second), round))
    };
    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let bytes = _mm256_packus_epi16(half(parts[0], parts[1]), half(parts[2], parts[3]));
    _mm256_permutevar8x32_epi32(bytes, order)
}

/// Sixteen chroma values as words, in the order that the packing above leaves them in.
#[target_feature(enable = "avx2")]
fn chroma_words(sums: [__m256i; 4], coefficients: [i16; 3]) -> __m256i {
    let [r, g, b] = coefficients.map(|value| u64::from(value as u16));
    let weights = _mm256_set1_epi64x((r | g << 16 | b << 32) as i64);
    let round = _mm256_set1_epi32(CHROMA_ROUND);
    let half = |first: __m256i, second: __m256i| {
        let (first, second) = (
            _mm256_madd_epi16(first, weights),
            _mm256_madd_epi16(second, weights),
        );
        _mm256_srai_epi32::<CHROMA_SHIFT>(_mm256_add_epi32(_mm256_hadd_epi32(first, second), round))
    };
    _mm256_packs_epi32(half(sums[0], sums[1]), half(sums[2], sums[3]))
}
