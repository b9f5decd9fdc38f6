//! A hash of every row: tells unchanged frames before encoding, which rows to convert again, how much
//! of the screen changed and how far it scrolled.
//!
//! 64 bits a row, keyed anew in each process. Words are mixed with a key that moves along the row,
//! so that content which merely moves sideways gives another hash. Every level gives the same value.

use std::hash::{BuildHasher, RandomState};

use super::Level;

const LANES: usize = 4;
const BLOCK: usize = LANES * 8;
const STEP: [u64; LANES] = [
    0x9e37_79b9_7f4a_7c15,
    0xc2b2_ae3d_27d4_eb4f,
    0x1656_67b1_9e37_79f9,
    0xd6e8_feb8_6659_fd93,
];

/// Hashes rows of pixels.
#[derive(Debug, Clone)]
pub struct RowHasher {
    seed: [u64; LANES],
    level: Level,
}

impl RowHasher {
    /// Hashes of two hashers with other seeds do not compare.
    #[must_use]
    pub fn new(seed: u64, level: Level) -> Self {
        let mut seeds = [0; LANES];
        for (lane, out) in seeds.iter_mut().enumerate() {
            *out = finish(seed.wrapping_add(STEP[lane]));
        }
        Self { seed: seeds, level }
    }

    /// A hasher keyed by the process's own randomness.
    #[must_use]
    pub fn keyed(level: Level) -> Self {
        Self::new(RandomState::new().hash_one(0x726f_7773_u64), level)
    }

    /// The hash of one row.
    #[must_use]
    pub fn hash(&self, row: &[u8]) -> u64 {
        let whole = row.len() / BLOCK * BLOCK;
        let (body, tail) = row.split_at(whole);
        let mut sums = match self.level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level is chosen only where the CPU has AVX2.
            Level::Avx2 => unsafe { avx2(body, &self.seed) },
            #[cfg(target_arch = "aarch64")]
            Level::Neon => neon(body, &self.seed),
            _ => scalar(body, &self.seed),
        };
        if !tail.is_empty() {
            let mut last = [0; BLOCK];
            last[..tail.len()].copy_from_slice(tail);
            let blocks = (whole / BLOCK) as u64;
            for (lane, sum) in sums.iter_mut().enumerate() {
                let key = self.seed[lane].wrapping_add(STEP[lane].wrapping_mul(blocks));
                *sum = sum.wrapping_add(mix(word(&last, lane), key));
            }
        }
        let mut hash = row.len() as u64;
        for sum in sums {
            hash = finish(hash ^ sum);
        }
        hash
    }
}

fn word(block: &[u8], lane: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&block[lane * 8..lane * 8 + 8]);
    u64::from_le_bytes(bytes)
}

fn mix(value: u64, key: u64) -> u64 {
    let keyed = value ^ key;
    (keyed & 0xffff_ffff)
        .wrapping_mul(keyed >> 32)
        .wrapping_add(value.rotate_left(32))
}

/// Spreads every input bit over the whole word.
fn finish(mut value: u64) -> u64 {
    value = (value ^ (value >> 32)).wrapping_mul(STEP[0]);
    value = (value ^ (value >> 29)).wrapping_mul(STEP[1] | 1);
    value ^ (value >> 32)
}

fn scalar(body: &[u8], seed: &[u64; LANES]) -> [u64; LANES] {
    let mut sums = [0_u64; LANES];
    let mut keys = *seed;
    for block in body.chunks_exact(BLOCK) {
        for lane in 0..LANES {
            sums[lane] = sums[lane].wrapping_add(mix(word(block, lane), keys[lane]));
            keys[lane] = keys[lane].wrapping_add(STEP[lane]);
        }
    }
    sums
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(body: &[u8], seed: &[u64; LANES]) -> [u64; LANES] {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi64, _mm256_loadu_si256, _mm256_mul_epu32, _mm256_setzero_si256,
        _mm256_shuffle_epi32, _mm256_srli_epi64, _mm256_storeu_si256, _mm256_xor_si256,
    };
    let load = |words: &[u64; LANES]| {
        // SAFETY: four words are 32 bytes; the load needs no alignment.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast::<__m256i>()) }
    };
    let step = load(&STEP);
    let mut key = load(seed);
    let mut sum = _mm256_setzero_si256();
    for block in body.chunks_exact(BLOCK) {
        // SAFETY: a block has 32 bytes; the load needs no alignment.
        let value = unsafe { _mm256_loadu_si256(block.as_ptr().cast::<__m256i>()) };
        let keyed = _mm256_xor_si256(value, key);
        let product = _mm256_mul_epu32(keyed, _mm256_srli_epi64::<32>(keyed));
        let turned = _mm256_shuffle_epi32::<0b1011_0001>(value);
        sum = _mm256_add_epi64(sum, _mm256_add_epi64(product, turned));
        key = _mm256_add_epi64(key, step);
    }
    let mut sums = [0; LANES];
    // SAFETY: as for the loads.
    unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast::<__m256i>(), sum) };
    sums
}

#[cfg(target_arch = "aarch64")]
fn neon(body: &[u8], seed: &[u64; LANES]) -> [u64; LANES] {
    use std::arch::aarch64::{
        vaddq_u64, vdupq_n_u64, veorq_u64, vld1q_u8, vld1q_u64, vmlal_u32, vmovn_u64,
        vreinterpretq_u32_u64, vreinterpretq_u64_u8, vreinterpretq_u64_u32, vrev64q_u32,
        vshrn_n_u64, vst1q_u64,
    };
    let mut sums = [0_u64; LANES];
    // SAFETY: every aarch64 CPU has NEON; loads and stores are of whole arrays and of 32-byte blocks.
    unsafe {
        let steps = [vld1q_u64(STEP.as_ptr()), vld1q_u64(STEP.as_ptr().add(2))];
        let mut keys = [vld1q_u64(seed.as_ptr()), vld1q_u64(seed.as_ptr().add(2))];
        let mut totals = [vdupq_n_u64(0); 2];
        for block in body.chunks_exact(BLOCK) {
            for half in 0..2 {
                let value = vreinterpretq_u64_u8(vld1q_u8(block.as_ptr().add(half * 16)));
                let keyed = veorq_u64(value, keys[half]);
                let turned = vreinterpretq_u64_u32(vrev64q_u32(vreinterpretq_u32_u64(value)));
                let sum = vmlal_u32(turned, vmovn_u64(keyed), vshrn_n_u64::<32>(keyed));
                totals[half] = vaddq_u64(totals[half], sum);
                keys[half] = vaddq_u64(keys[half], steps[half]);
            }
        }
        vst1q_u64(sums.as_mut_ptr(), totals[0]);
        vst1q_u64(sums.as_mut_ptr().add(2), totals[1]);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(len: usize, seed: u32) -> Vec<u8> {
        let mut state = seed | 1;
        std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state.to_le_bytes()[1]
        })
        .take(len)
        .collect()
    }

    #[test]
    fn every_level_gives_the_same_hash() {
        for len in [0, 1, 7, 31, 32, 33, 95, 3240, 6623, 7680] {
            let row = noise(len, 7);
            let want = RowHasher::new(42, Level::Scalar).hash(&row);
            for level in Level::available() {
                assert_eq!(
                    RowHasher::new(42, level).hash(&row),
                    want,
                    "{level:?} of {len} bytes"
                );
            }
        }
    }

    #[test]
    fn any_single_changed_byte_and_any_sideways_move_gives_another_hash() {
        let hasher = RowHasher::keyed(Level::best());
        let row = noise(3240, 3);
        let hash = hasher.hash(&row);
        for at in 0..row.len() {
            let mut other = row.clone();
            other[at] ^= 1;
            assert_ne!(hasher.hash(&other), hash, "byte {at}");
        }
        let mut caret = vec![255; 3240];
        caret[96..102].fill(0);
        let first = hasher.hash(&caret);
        for blocks in 1..30 {
            let mut moved = vec![255; 3240];
            moved[96 + blocks * BLOCK..102 + blocks * BLOCK].fill(0);
            assert_ne!(hasher.hash(&moved), first, "moved by {blocks} blocks");
        }
    }

    #[test]
    fn rows_of_other_lengths_differ_even_when_all_zero() {
        let hasher = RowHasher::new(1, Level::best());
        assert_ne!(hasher.hash(&[0; 64]), hasher.hash(&[0; 65]));
    }
}
