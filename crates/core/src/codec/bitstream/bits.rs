//! A reader of single bits and Exp-Golomb numbers that cannot run past its end.

/// Reads a raw byte sequence payload, most significant bit first.
pub struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bits<'a> {
    /// Starts at the first bit of `bytes`, emulation prevention already removed.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// One bit; `None` at the end.
    pub fn bit(&mut self) -> Option<bool> {
        let byte = *self.bytes.get(self.at / 8)?;
        let bit = byte >> (7 - self.at % 8) & 1;
        self.at += 1;
        Some(bit == 1)
    }

    /// `count` bits, at most 32.
    pub fn bits(&mut self, count: u32) -> Option<u32> {
        let mut value: u64 = 0;
        for _ in 0..count.min(32) {
            value = value << 1 | u64::from(self.bit()?);
        }
        u32::try_from(value).ok()
    }

    /// An unsigned Exp-Golomb number; `None` when it does not fit 32 bits.
    pub fn ue(&mut self) -> Option<u32> {
        let mut zeros = 0;
        while !self.bit()? {
            zeros += 1;
            if zeros > 31 {
                return None;
            }
        }
        let tail = self.bits(zeros)?;
        u32::try_from((1_u64 << zeros) - 1 + u64::from(tail)).ok()
    }

    /// A signed Exp-Golomb number.
    pub fn se(&mut self) -> Option<i32> {
        let code = i64::from(self.ue()?);
        let magnitude = (code + 1) / 2;
        i32::try_from(if code % 2 == 0 { -magnitude } else { magnitude }).ok()
    }
}

/// Takes the emulation prevention bytes (00 00 03 → 00 00) out of at most `limit` payload bytes.
#[must_use]
pub fn unescape(payload: &[u8], limit: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(payload.len().min(limit));
    let mut zeros = 0;
    for &byte in payload {
        if out.len() >= limit {
            break;
        }
        if zeros >= 2 && byte == 3 {
            zeros = 0;
            continue;
        }
        zeros = if byte == 0 { zeros + 1 } else { 0 };
        out.push(byte);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Bits, unescape};

    #[test]
    fn exp_golomb_numbers_read_as_the_standard_tables_say() {
        // 1, 010, 011, 00100, 00101 → 0, 1, 2, 3, 4
        let bytes = [0b1010_0110, 0b0100_0010, 0b1000_0000];
        let mut bits = Bits::new(&bytes);
        assert_eq!(
            [bits.ue(), bits.ue(), bits.ue(), bits.ue(), bits.ue()],
            [0, 1, 2, 3, 4].map(Some)
        );
        let mut bits = Bits::new(&bytes);
        assert_eq!(
            [bits.se(), bits.se(), bits.se(), bits.se(), bits.se()],
            [0, 1, -1, 2, -2].map(Some)
        );
    }

    #[test]
    fn the_end_and_a_code_that_is_too_long_give_nothing() {
        assert_eq!(Bits::new(&[]).ue(), None);
        assert_eq!(Bits::new(&[0; 16]).ue(), None);
        assert_eq!(Bits::new(&[0xff]).bits(9), None);
    }

    #[test]
    fn emulation_prevention_bytes_are_taken_out() {
        assert_eq!(
            unescape(&[1, 0, 0, 3, 1, 0, 0, 3, 0, 0, 3], 99),
            [1, 0, 0, 1, 0, 0, 0, 0]
        );
        assert_eq!(unescape(&[0, 0, 3, 3], 99), [0, 0, 3]);
        assert_eq!(unescape(&[9; 50], 4).len(), 4);
    }
}
