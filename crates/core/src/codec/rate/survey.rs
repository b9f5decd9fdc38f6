//! Two cheap numbers about a picture from every sixteenth row: how much changed, and how much there is to code.

use crate::frames::Picture;

/// Rows from one sample to the next.
const STEP: usize = 16;

/// What was seen, in luma steps summed over the sampled pixels and scaled to all of them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Seen {
    /// Difference to the picture that viewers have.
    pub change: f64,
    /// Difference between neighbours: what a picture coded alone costs follows it.
    pub detail: f64,
}

/// Remembers the sampled rows of the last sent picture.
#[derive(Debug, Default)]
pub struct Survey {
    sent: Vec<u8>,
    looked: Vec<u8>,
}

impl Survey {
    /// Compares a picture with the one last kept.
    pub fn look(&mut self, picture: &Picture) -> Seen {
        let width = picture.width();
        let (luma, _, _) = picture.planes();
        self.looked.clear();
        let (mut change, mut detail) = (0, 0);
        for row in luma.chunks_exact(width).skip(STEP / 2).step_by(STEP) {
            let from = self.looked.len();
            detail += difference(&row[1..], &row[..width - 1]);
            change += match self.sent.get(from..from + width) {
                Some(sent) => difference(row, sent),
                None => 0,
            };
            self.looked.extend_from_slice(row);
        }
        let share = if self.looked.is_empty() {
            0.0
        } else {
            luma.len() as f64 / self.looked.len() as f64
        };
        Seen {
            change: change as f64 * share,
            detail: detail as f64 * share,
        }
    }

    /// The picture last looked at is the one that viewers have now.
    pub fn keep(&mut self) {
        std::mem::swap(&mut self.sent, &mut self.looked);
    }
}

/// Sum of absolute differences, in blocks short enough for 16 bits, which is what makes it run on vectors.
fn difference(one: &[u8], other: &[u8]) -> u64 {
    one.chunks(256)
        .zip(other.chunks(256))
        .map(|(one, other)| {
            let sum: u16 = one
                .iter()
                .zip(other)
                .map(|(a, b)| u16::from(a.abs_diff(*b)))
                .fold(0, u16::wrapping_add);
            u64::from(sum)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::Survey;
    use crate::frames::Picture;

    #[test]
    fn change_counts_against_the_picture_kept_and_detail_counts_edges() {
        let mut survey = Survey::default();
        let mut picture = Picture::new(320, 320);
        assert_eq!(survey.look(&picture).detail, 0.0);
        survey.keep();
        picture
            .planes_mut()
            .0
            .iter_mut()
            .step_by(2)
            .for_each(|luma| *luma = 116);
        let seen = survey.look(&picture);
        assert!(
            (seen.change / (320.0 * 320.0) - 50.0).abs() < 1.0,
            "{seen:?}"
        );
        assert!(
            (seen.detail / (320.0 * 320.0) - 100.0).abs() < 1.0,
            "{seen:?}"
        );
        assert_eq!(
            survey.look(&picture).change,
            seen.change,
            "nothing was kept in between"
        );
        survey.keep();
        assert_eq!(survey.look(&picture).change, 0.0);
    }

    #[test]
    fn a_picture_lower_than_a_step_is_no_error() {
        let seen = Survey::default().look(&Picture::new(2, 2));
        assert_eq!((seen.change, seen.detail), (0.0, 0.0));
    }
}
