//! Which rows of a picture are those of the one before, in bands as high as an encoder's blocks.

/// Rows of a band.
pub const BAND: usize = 16;
/// Words of a set: as many bands as the highest screen has.
const WORDS: usize = super::intake::MAX_EDGE as usize / BAND / 64;

/// A set of bands of sixteen rows, top first. Small, and copied with every question to an encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bands([u64; WORDS]);

impl Bands {
    /// Every band.
    pub const ALL: Self = Self([u64::MAX; WORDS]);

    /// Bands of which no row differs between two pictures of these row hashes; none when their heights differ.
    #[must_use]
    pub fn unchanged(before: &[u64], after: &[u64]) -> Self {
        let mut bands = Self::default();
        if before.len() == after.len() {
            let pairs = before.chunks(BAND).zip(after.chunks(BAND));
            for (at, _) in pairs.enumerate().filter(|(_, (old, new))| old == new) {
                bands.add(at);
            }
        }
        bands
    }

    /// Adds a band; beyond the highest screen there is none to add.
    pub fn add(&mut self, at: usize) {
        if let Some(word) = self.0.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
    }

    /// Takes a band out.
    pub fn remove(&mut self, at: usize) {
        if let Some(word) = self.0.get_mut(at / 64) {
            *word &= !(1 << (at % 64));
        }
    }

    /// Is it in the set?
    #[must_use]
    pub fn has(&self, at: usize) -> bool {
        self.0
            .get(at / 64)
            .is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Those that are in both sets.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::{BAND, Bands};

    #[test]
    fn a_band_is_unchanged_when_all_its_rows_are_the_last_short_one_too() {
        let before: Vec<u64> = (0..1840 + 7).collect();
        let mut after = before.clone();
        after[31] = 0;
        after[1846] = 0;
        let bands = Bands::unchanged(&before, &after);
        let changed: Vec<usize> = (0..before.len().div_ceil(BAND))
            .filter(|&at| !bands.has(at))
            .collect();
        assert_eq!(changed, [1, 115]);
        assert!(Bands::unchanged(&before, &before).has(115));
    }

    #[test]
    fn of_another_height_and_past_the_end_nothing_is_unchanged() {
        let rows = [1; 64];
        assert_eq!(Bands::unchanged(&rows, &rows[..48]), Bands::default());
        let mut bands = Bands::unchanged(&rows, &rows);
        assert!(bands.has(3) && !bands.has(4) && !bands.has(1 << 40));
        bands.add(1 << 40);
        assert!(!bands.has(1 << 40));
    }

    #[test]
    fn both_sets_must_have_a_band() {
        let (mut one, mut other) = (Bands::default(), Bands::default());
        for at in [3, 70] {
            one.add(at);
        }
        for at in [70, 71] {
            other.add(at);
        }
        let both = one.and(&other);
        assert_eq!([3, 70, 71].map(|at| both.has(at)), [false, true, false]);
    }
}
