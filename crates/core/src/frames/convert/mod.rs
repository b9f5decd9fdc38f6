//! RGB to I420, BT.709 limited range, two rows at a time.
//!
//! Luma has 8-bit coefficients that fit the byte multiply of every CPU; chroma is taken from the
//! exact sum of its four pixels with 16-bit ones. Every level gives the same bytes, at most 1 off a
//! rounded 64-bit float conversion.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(test)]
mod tests;

/// Luma: `(47 R + 157 G + 16 B + LUMA_ROUND) >> 8`; green is split over two bytes in SIMD.
pub(super) const LUMA: [u16; 3] = [47, 157, 16];
pub(super) const LUMA_ROUND: u16 = (16 << 8) + 128;
/// Chroma over the sum of four pixels: `(c · sum + CHROMA_ROUND) >> CHROMA_SHIFT`. Each row adds up to zero.
pub(super) const CB: [i16; 3] = [-6596, -22188, 28784];
pub(super) const CR: [i16; 3] = [28784, -26145, -2639];
pub(super) const CHROMA_SHIFT: i32 = 18;
pub(super) const CHROMA_ROUND: i32 = (128 << CHROMA_SHIFT) + (1 << (CHROMA_SHIFT - 1));

/// Bytes that a source row must have behind its pixels: wide loads run over the end.
pub const SLACK: usize = 64;

/// How the work is done; chosen once, at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Plain Rust, on any CPU.
    Scalar,
    /// x86-64 with AVX2.
    Avx2,
    /// 64-bit ARM.
    Neon,
}

impl Level {
    /// The fastest level of this CPU.
    #[must_use]
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Self::Avx2;
        }
        #[cfg(target_arch = "aarch64")]
        return Self::Neon;
        #[cfg(not(target_arch = "aarch64"))]
        Self::Scalar
    }

    /// Every level that this CPU can run.
    pub fn available() -> impl Iterator<Item = Self> {
        let best = Self::best();
        std::iter::once(Self::Scalar).chain((best != Self::Scalar).then_some(best))
    }
}

/// Two rows of pixels and where they go. `width` counts the device's pixels; outputs are as wide as
/// the picture, which is even.
pub(super) struct Pair<'a> {
    pub(super) width: usize,
    pub(super) top: &'a [u8],
    pub(super) bottom: &'a [u8],
    pub(super) luma: [&'a mut [u8]; 2],
    pub(super) cb: &'a mut [u8],
    pub(super) cr: &'a mut [u8],
}

impl Pair<'_> {
    fn check(&self, bytes_per_pixel: usize) {
        let row = self.width * bytes_per_pixel + SLACK;
        let even = self.width.next_multiple_of(2);
        assert!(
            self.top.len() >= row && self.bottom.len() >= row,
            "source rows carry slack"
        );
        assert!(
            self.luma.iter().all(|luma| luma.len() == even),
            "luma rows are as wide as the picture"
        );
        assert!(
            self.cb.len() == even / 2 && self.cr.len() == even / 2,
            "chroma rows are half as wide"
        );
    }
}

type Kernel = unsafe fn(&mut Pair<'_>);

/// Converts pairs of rows of one pixel format.
#[derive(Debug, Clone, Copy)]
pub struct Converter {
    kernel: Kernel,
    bytes_per_pixel: usize,
}

impl Converter {
    /// For 3 (RGB) or 4 (RGBA) bytes a pixel.
    #[must_use]
    pub fn new(bytes_per_pixel: usize, level: Level) -> Self {
        let four = bytes_per_pixel == 4;
        let kernel: Kernel = match (level, four) {
            #[cfg(target_arch = "x86_64")]
            (Level::Avx2, false) => avx2::pair::<3>,
            #[cfg(target_arch = "x86_64")]
            (Level::Avx2, true) => avx2::pair::<4>,
            #[cfg(target_arch = "aarch64")]
            (Level::Neon, false) => neon::pair::<3>,
            #[cfg(target_arch = "aarch64")]
            (Level::Neon, true) => neon::pair::<4>,
            (_, false) => scalar::pair::<3>,
            (_, true) => scalar::pair::<4>,
        };
        Self {
            kernel,
            bytes_per_pixel: if four { 4 } else { 3 },
        }
    }

    pub(super) fn pair(&self, mut pair: Pair<'_>) {
        pair.check(self.bytes_per_pixel);
        // SAFETY: a level is chosen only where the CPU has it (`Level::best`), and the slices have
        // the lengths that the kernels rely on, as just checked.
        unsafe { (self.kernel)(&mut pair) };
    }
}
