//! What rate control makes of a content: the bits of any two seconds, which pictures were left out, and for how long
//! viewers looked at an old one. Plays pictures as the pipeline does, on times of its own.

use super::content::{Content, Motion, to_picture};
use crate::codec::{Ask, CodecError, Encoded, Encoder};
use crate::frames::{BAND, Bands, Picture};

/// The most that any two seconds may carry, as a share of what the rate in force gives in them.
pub const BOUND: f64 = 1.25;
/// The length over which the bound holds, in microseconds.
const WINDOW_US: u64 = 2_000_000;
/// When the first picture arrives, in microseconds: the clock is never near its beginning.
const START_US: u64 = 5_000_000;
/// Until the last picture of a motion is tried again, or refined once more, in microseconds.
const AGAIN_US: u64 = 33_000;
/// Stillness before a refinement, in microseconds.
const STILL_US: u64 = 100_000;
/// How long the screen rests at the end, in microseconds.
const REST_US: u64 = 3_000_000;

/// The longest that viewers may wait for a unit while a content changes, at any rate from a phone's 1 Mbit/s on, in
/// microseconds. Random pixels fill the whole window with a unit even at the coarsest quantizer.
#[must_use]
pub fn longest_freeze_us(motion: Motion) -> u64 {
    if motion == Motion::Noise {
        WINDOW_US
    } else {
        750_000
    }
}

/// One picture on its way into an encoder.
pub struct Shot {
    /// What is encoded.
    pub picture: Picture,
    /// Rows scrolled, where it did.
    pub scroll: Option<i32>,
    /// Fraction of rows changed.
    pub dirty: f32,
    /// Bands of rows that are those of the shot before.
    pub unchanged: Bands,
}

/// Pictures of a motion.
#[must_use]
pub fn shots(content: &Content, motion: Motion, count: usize) -> Vec<Shot> {
    let mut shots: Vec<Shot> = Vec::with_capacity(count);
    for frame in content.frames(motion, count) {
        let picture = to_picture(&frame.rgb);
        let unchanged = shots
            .last()
            .map_or_else(Bands::default, |last| unchanged(&last.picture, &picture));
        shots.push(Shot {
            picture,
            scroll: frame.scroll,
            dirty: frame.dirty,
            unchanged,
        });
    }
    shots
}

/// What row hashes would say of two pictures of one size.
fn unchanged(before: &Picture, after: &Picture) -> Bands {
    let ((y, u, v), (luma, cb, cr)) = (before.planes(), after.planes());
    let mut bands = Bands::default();
    let same = |one: &[u8], other: &[u8], bytes: usize, at: usize| {
        one.chunks(bytes).nth(at) == other.chunks(bytes).nth(at)
    };
    let (wide, half) = (after.width() * BAND, after.width() * BAND / 4);
    for at in 0..after.height().div_ceil(BAND) {
        if same(y, luma, wide, at) && same(u, cb, half, at) && same(v, cr, half, at) {
            bands.add(at);
        }
    }
    bands
}

/// How pictures are played.
#[derive(Debug, Clone, Copy)]
pub struct Course {
    /// From one picture to the next, in microseconds.
    pub interval_us: u64,
    /// A viewer joins with every so many pictures and asks for a key frame.
    pub key_every: usize,
    /// Bits a second that the encoder was opened for.
    pub rate: u32,
    /// Bits a second from the middle on.
    pub later: u32,
}

/// A unit that went out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// When its picture arrived, in microseconds.
    pub at_us: u64,
    /// Of the whole unit.
    pub bits: u64,
    /// Which of the shots it shows.
    pub shot: usize,
}

/// What was sent and what was not.
#[derive(Debug, Clone, Default)]
pub struct Account {
    /// Every unit in order, key frames and refinements too.
    pub sent: Vec<Sent>,
    /// All units.
    pub stream: Vec<u8>,
    /// Pictures that differ from the one before and were left out.
    pub skipped: usize,
    /// The longest time that viewers, while the content changed, waited from one unit to the next, in microseconds.
    pub freeze_us: u64,
    /// The most bits in any two seconds, as a share of what the rate in force gives in them.
    pub most_bits: f64,
}

/// The rest of a course that is under way.
struct Player<'a> {
    encoder: &'a mut dyn Encoder,
    account: Account,
    /// When viewers last had the newest picture.
    current_us: u64,
    stale: bool,
    /// Rows that the page moved since the picture that was sent last.
    moved: i32,
    /// Bands of rows that stayed since then.
    unchanged: Option<Bands>,
}

/// Plays shots through an encoder that was opened for the course's rate. As in the pipeline, a picture that does not
/// differ is not encoded, and stillness is refined.
///
/// # Errors
/// Those of the encoder.
pub fn play(
    encoder: &mut dyn Encoder,
    shots: &[Shot],
    course: Course,
) -> Result<Account, CodecError> {
    let mut player = Player {
        encoder,
        account: Account::default(),
        current_us: START_US,
        stale: false,
        moved: 0,
        unchanged: None,
    };
    let (mut now_us, mut refined_us) = (START_US, START_US);
    let changes_us = START_US + (shots.len() / 2) as u64 * course.interval_us;
    for (index, shot) in shots.iter().enumerate() {
        now_us = START_US + index as u64 * course.interval_us;
        if now_us == changes_us && course.later != course.rate {
            player.encoder.set_bitrate(course.later);
        }
        let key = index % course.key_every == course.key_every - 1;
        if index == 0 || shot.dirty > 0.0 || key {
            player.show(shot, index, now_us, key)?;
            refined_us = now_us + STILL_US - AGAIN_US;
        } else {
            player.rest(shot, index, now_us, &mut refined_us)?;
        }
    }
    if let Some((index, last)) = shots.iter().enumerate().next_back() {
        let end_us = now_us + REST_US;
        while now_us < end_us && (player.stale || player.encoder.wants_refinement()) {
            now_us += AGAIN_US;
            player.rest(last, index, now_us, &mut refined_us)?;
        }
        // A picture that never came froze the screen until the end.
        player.caught_up(end_us, !player.stale);
    }
    let mut account = player.account;
    account.most_bits = most_bits(&account.sent, |at_us| {
        f64::from(if at_us < changes_us {
            course.rate
        } else {
            course.later
        })
    });
    Ok(account)
}

impl Player<'_> {
    /// A picture that differs, or a key frame that is asked for.
    fn show(
        &mut self,
        shot: &Shot,
        index: usize,
        now_us: u64,
        key: bool,
    ) -> Result<(), CodecError> {
        self.moved += shot.scroll.unwrap_or(0);
        let unchanged = self
            .unchanged
            .map_or(shot.unchanged, |before| before.and(&shot.unchanged));
        self.unchanged = Some(unchanged);
        let ask = Ask {
            key,
            scroll: (self.moved != 0 && !key).then_some(self.moved),
            dirty: shot.dirty,
            unchanged,
            ..Ask::at(now_us)
        };
        let changed = index == 0 || shot.dirty > 0.0;
        if self.encode(shot, index, ask)? {
            self.caught_up(now_us, false);
        } else {
            self.account.skipped += usize::from(changed);
            self.stale |= changed;
        }
        Ok(())
    }

    /// The screen shows what it showed: what was left out is tried again, what is coarse is refined.
    fn rest(
        &mut self,
        shot: &Shot,
        index: usize,
        now_us: u64,
        refined_us: &mut u64,
    ) -> Result<(), CodecError> {
        let ask = Ask {
            refine: !self.stale,
            dirty: 0.0,
            unchanged: self.unchanged.unwrap_or(Bands::ALL),
            ..Ask::at(now_us)
        };
        if self.stale {
            if self.encode(shot, index, ask)? {
                self.caught_up(now_us, false);
                *refined_us = now_us + STILL_US - AGAIN_US;
            }
            return Ok(());
        }
        if now_us >= *refined_us + AGAIN_US && self.encoder.wants_refinement() {
            *refined_us = now_us;
            self.encode(shot, index, ask)?;
        }
        self.caught_up(now_us, true);
        Ok(())
    }

    fn encode(&mut self, shot: &Shot, index: usize, ask: Ask) -> Result<bool, CodecError> {
        let Encoded::Unit(unit) = self.encoder.encode(&shot.picture, ask)? else {
            return Ok(false);
        };
        self.account.sent.push(Sent {
            at_us: ask.arrival_us,
            bits: unit.data.len() as u64 * 8,
            shot: index,
        });
        self.account.stream.extend_from_slice(&unit.data);
        (self.moved, self.unchanged) = (0, None);
        Ok(true)
    }

    /// Viewers have the newest picture; `idle`: they had it all the time.
    fn caught_up(&mut self, now_us: u64, idle: bool) {
        if !idle {
            self.account.freeze_us = self.account.freeze_us.max(now_us - self.current_us);
        }
        self.current_us = now_us;
        self.stale = false;
    }
}

/// The most bits in any two seconds that end with a unit, as a share of what the rate in force (bits a second at a time
/// in microseconds) gives in them.
pub fn most_bits(sent: &[Sent], rate_at: impl Fn(u64) -> f64) -> f64 {
    const STEP_US: u64 = 1000;
    let share = |end: &Sent| {
        let begin_us = end.at_us.saturating_sub(WINDOW_US);
        let bits: u64 = sent
            .iter()
            .filter(|unit| (begin_us..=end.at_us).contains(&unit.at_us))
            .map(|unit| unit.bits)
            .sum();
        let steps = WINDOW_US / STEP_US;
        let allowed: f64 = (0..steps)
            .map(|step| rate_at(begin_us + step * STEP_US) * STEP_US as f64 / 1e6)
            .sum();
        bits as f64 / allowed
    };
    sent.iter().map(share).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::{Course, Sent, Shot, most_bits, play};
    use crate::codec::testing::{Fault, FaultyEncoder};
    use crate::frames::{Bands, Picture};

    const COURSE: Course = Course {
        interval_us: 30_000,
        key_every: 1000,
        rate: 1_000_000,
        later: 1_000_000,
    };

    fn shots(dirty: &[f32]) -> Vec<Shot> {
        dirty
            .iter()
            .map(|&dirty| Shot {
                picture: Picture::new(16, 16),
                scroll: None,
                dirty,
                unchanged: Bands::default(),
            })
            .collect()
    }

    #[test]
    fn a_freeze_lasts_from_the_unit_before_what_was_left_out_to_the_one_after() {
        use Fault::{None as Good, Skip};
        let mut encoder = FaultyEncoder::new(vec![Good, Good, Skip, Skip, Good]);
        let account = play(&mut encoder, &shots(&[1.0; 6]), COURSE).expect("it plays");
        assert_eq!((account.skipped, account.freeze_us), (2, 90_000));
        let sent: Vec<usize> = account.sent.iter().map(|sent| sent.shot).collect();
        assert_eq!(sent, [0, 1, 4, 5]);
    }

    #[test]
    fn stillness_is_no_freeze_and_costs_no_unit() {
        let mut dirty = [0.0; 50];
        dirty[40] = 0.1;
        let mut encoder = FaultyEncoder::new(Vec::new());
        let account = play(&mut encoder, &shots(&dirty), COURSE).expect("it plays");
        assert_eq!(account.sent.len(), 2);
        assert_eq!((account.skipped, account.freeze_us), (0, 30_000));
    }

    #[test]
    fn the_last_picture_counts_until_it_is_seen() {
        let mut encoder = FaultyEncoder::new(vec![Fault::None, Fault::Skip, Fault::Skip]);
        let account = play(&mut encoder, &shots(&[1.0; 2]), COURSE).expect("it plays");
        assert_eq!((account.skipped, account.freeze_us), (1, 30_000 + 66_000));
        let never = std::iter::once(Fault::None).chain(vec![Fault::Skip; 500]);
        let mut encoder = FaultyEncoder::new(never.collect());
        let account = play(&mut encoder, &shots(&[1.0; 2]), COURSE).expect("it plays");
        assert!(account.freeze_us >= 3_000_000, "{}", account.freeze_us);
    }

    #[test]
    fn bits_count_against_the_rate_that_was_in_force() {
        let sent = [0, 1, 2].map(|second| Sent {
            at_us: 10_000_000 + second * 1_000_000,
            bits: 1_000_000,
            shot: 0,
        });
        assert_eq!(most_bits(&sent, |_| 1e6), 1.5);
        let later = |at_us| if at_us < 11_000_000 { 1e6 } else { 2e6 };
        assert!((most_bits(&sent, later) - 1.0).abs() < 0.01);
    }
}
