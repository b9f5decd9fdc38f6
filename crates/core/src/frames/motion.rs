//! What row hashes of two pictures say about the change between them.

/// Fraction of rows that differ, 0 to 1; pictures of other heights differ wholly.
#[must_use]
pub fn dirty_fraction(before: &[u64], after: &[u64]) -> f32 {
    if before.len() != after.len() || after.is_empty() {
        return 1.0;
    }
    let dirty = before
        .iter()
        .zip(after)
        .filter(|(old, new)| old != new)
        .count();
    dirty as f32 / after.len() as f32
}

/// Under this many changed rows a scroll is not worth knowing.
const FEWEST_ROWS: usize = 32;

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    hash: u64,
    /// Row plus one; zero: free.
    row: u32,
    /// Rows alike (a plain background) say nothing about where they went.
    twice: bool,
}

/// Finds by how many rows a picture scrolled. Keeps its tables, so that a frame costs no allocation.
#[derive(Debug, Default)]
pub struct ScrollFinder {
    table: Vec<Entry>,
    votes: Vec<u32>,
}

impl ScrollFinder {
    /// Rows that the content moved down (negative: up) between two pictures, where at least half of
    /// the distinct changed rows agree.
    pub fn find(&mut self, before: &[u64], after: &[u64]) -> Option<i32> {
        let rows = after.len();
        if before.len() != rows {
            return None;
        }
        let first = (0..rows).find(|&row| before[row] != after[row])?;
        let last = (0..rows).rfind(|&row| before[row] != after[row])?;
        let window = first..last + 1;
        if window.len() < FEWEST_ROWS {
            return None;
        }
        self.index(before, window.clone());
        self.votes.clear();
        self.votes.resize(rows * 2, 0);
        let mut voters = 0;
        for row in window {
            if before[row] == after[row] {
                continue;
            }
            if let Some(from) = self.lookup(after[row]) {
                voters += 1;
                self.votes[row + rows - from] += 1;
            }
        }
        let (at, &most) = self
            .votes
            .iter()
            .enumerate()
            .max_by_key(|&(_, votes)| *votes)?;
        let enough = most as usize >= FEWEST_ROWS / 2 && most * 2 >= voters;
        let moved = i32::try_from(at).ok()? - i32::try_from(rows).ok()?;
        (enough && moved != 0).then_some(moved)
    }

    fn index(&mut self, hashes: &[u64], window: std::ops::Range<usize>) {
        let size = (hashes.len() * 2).next_power_of_two();
        self.table.clear();
        self.table.resize(size, Entry::default());
        for row in window {
            let at = self.place(hashes[row]);
            let entry = &mut self.table[at];
            if entry.row == 0 {
                *entry = Entry {
                    hash: hashes[row],
                    row: row as u32 + 1,
                    twice: false,
                };
            } else {
                entry.twice = true;
            }
        }
    }

    fn lookup(&self, hash: u64) -> Option<usize> {
        let entry = self.table[self.place(hash)];
        (entry.row != 0 && !entry.twice).then(|| entry.row as usize - 1)
    }

    /// Where a hash is or would go; the table is at most half full, so the walk ends.
    fn place(&self, hash: u64) -> usize {
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        while self.table[at].row != 0 && self.table[at].hash != hash {
            at = (at + 1) & mask;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rows: std::ops::Range<u64>) -> Vec<u64> {
        rows.map(|row| {
            if row % 5 == 0 {
                9
            } else {
                row.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            }
        })
        .collect()
    }

    #[test]
    fn a_scrolled_page_between_fixed_bars_gives_its_distance_and_direction() {
        for moved in [-132_i32, -1, 1, 7, 250] {
            let mut before = page(1000..3400);
            let mut after =
                page((1000 - i64::from(moved)) as u64..(3400 - i64::from(moved)) as u64);
            for picture in [&mut before, &mut after] {
                picture[..90].fill(1);
                picture[2300..].fill(2);
            }
            assert_eq!(ScrollFinder::default().find(&before, &after), Some(moved));
        }
    }

    #[test]
    fn a_new_page_a_small_change_and_another_size_are_no_scroll() {
        let mut finder = ScrollFinder::default();
        assert_eq!(finder.find(&page(0..2400), &page(10_000..12_400)), None);
        let mut caret = page(0..2400);
        caret[100..110].fill(77);
        assert_eq!(finder.find(&page(0..2400), &caret), None);
        assert_eq!(finder.find(&page(0..2400), &page(0..2400)), None);
        assert_eq!(finder.find(&page(0..2400), &page(0..1840)), None);
        assert_eq!(finder.find(&[], &[]), None);
    }

    #[test]
    fn the_dirty_fraction_counts_rows() {
        let before = page(0..2400);
        let mut after = before.clone();
        after[0..600].fill(3);
        assert!((dirty_fraction(&before, &after) - 0.25).abs() < 1e-6);
        assert!((dirty_fraction(&before, &before)).abs() < 1e-6);
        assert!((dirty_fraction(&[], &after) - 1.0).abs() < 1e-6);
    }
}
