//! The load ladder: what to give up when encoding takes longer than frames take to come.

/// Steps that the encoder knows itself (less search, higher QP floor).
pub const ENCODER_STEPS: u8 = 3;
/// The last step: as the one before, and every second frame only.
pub const HALF_RATE: u8 = ENCODER_STEPS + 1;

/// A device that posts faster than this is not "behind": nobody needs more pictures a second.
const SHORTEST_INTERVAL_US: u64 = 16_667;
const LONGEST_INTERVAL_US: u64 = 100_000;
/// Encodes in a row that must be too slow before the next step.
const PATIENCE: u32 = 8;
/// How long encoding must have been easy before a step back.
const RECOVERY_US: u64 = 2_000_000;

/// Follows encode times against frame intervals. Steps up soon, back slowly.
#[derive(Debug, Default)]
pub struct Ladder {
    step: u8,
    encode_us: u64,
    interval_us: u64,
    slow: u32,
    easy_since_us: Option<u64>,
}

impl Ladder {
    /// 0: full quality.
    #[must_use]
    pub fn step(&self) -> u8 {
        self.step
    }

    /// The encoder's share of the step.
    #[must_use]
    pub fn encoder_step(&self) -> u8 {
        self.step.min(ENCODER_STEPS)
    }

    /// The shortest time between the starts of two encodes, in microseconds.
    #[must_use]
    pub fn gap_us(&self) -> u64 {
        if self.step < HALF_RATE {
            0
        } else {
            self.interval_us * 2 - self.interval_us / 4
        }
    }

    /// A picture was encoded. `interval_us` is the time between the arrivals of it and the one before.
    /// True: the step changed.
    pub fn encoded(&mut self, encode_us: u64, interval_us: u64, now_us: u64) -> bool {
        let interval_us = interval_us.clamp(SHORTEST_INTERVAL_US, LONGEST_INTERVAL_US);
        // From zero on: the first key frame of an encoder is slow and says nothing.
        self.encode_us = (self.encode_us * 7 + encode_us) / 8;
        self.interval_us = match self.interval_us {
            0 => interval_us,
            before => (before * 7 + interval_us) / 8,
        };
        let before = self.step;
        // The mean tells a trend from a hiccup, this encode that the trend goes on.
        if self.encode_us > self.interval_us && encode_us > self.interval_us {
            self.easy_since_us = None;
            self.slow += 1;
            if self.slow >= PATIENCE && self.step < HALF_RATE {
                self.step += 1;
                self.slow = 0;
            }
        } else {
            self.slow = 0;
            self.recover(now_us);
        }
        self.step != before
    }

    fn recover(&mut self, now_us: u64) {
        if self.encode_us * 10 > self.interval_us * 6 {
            self.easy_since_us = None;
            return;
        }
        let since = *self.easy_since_us.get_or_insert(now_us);
        if self.step > 0 && now_us.saturating_sub(since) >= RECOVERY_US {
            self.step -= 1;
            self.easy_since_us = Some(now_us);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME_US: u64 = 31_250;

    fn run(ladder: &mut Ladder, now_us: &mut u64, frames: u32, encode_us: u64) {
        for _ in 0..frames {
            *now_us += FRAME_US;
            ladder.encoded(encode_us, FRAME_US, *now_us);
        }
    }

    #[test]
    fn slow_encodes_raise_the_step_to_half_rate_and_no_further() {
        let (mut ladder, mut now) = (Ladder::default(), 0);
        run(&mut ladder, &mut now, 8, 40_000);
        assert_eq!(ladder.step(), 0, "not yet");
        run(&mut ladder, &mut now, 14, 40_000);
        assert_eq!(ladder.step(), 1);
        run(&mut ladder, &mut now, 100, 40_000);
        assert_eq!(
            (ladder.step(), ladder.encoder_step()),
            (HALF_RATE, ENCODER_STEPS)
        );
        assert!(ladder.gap_us() > FRAME_US && ladder.gap_us() <= FRAME_US * 2);
    }

    #[test]
    fn easy_encodes_bring_it_back_one_step_every_two_seconds() {
        let (mut ladder, mut now) = (Ladder::default(), 0);
        run(&mut ladder, &mut now, 100, 40_000);
        run(&mut ladder, &mut now, 64 + 16, 5_000);
        assert_eq!(ladder.step(), HALF_RATE - 1);
        assert_eq!(ladder.gap_us(), 0);
        run(&mut ladder, &mut now, 64 * 4, 5_000);
        assert_eq!(ladder.step(), 0);
    }

    #[test]
    fn an_encode_that_barely_fits_neither_climbs_nor_recovers() {
        let (mut ladder, mut now) = (Ladder::default(), 0);
        run(&mut ladder, &mut now, 22, 40_000);
        run(&mut ladder, &mut now, 400, 28_000);
        assert_eq!(ladder.step(), 1);
    }

    #[test]
    fn a_single_slow_key_frame_and_a_very_fast_device_change_nothing() {
        let mut ladder = Ladder::default();
        for frame in 0..500_u64 {
            let encode = if frame % 50 == 0 { 45_000 } else { 7_000 };
            ladder.encoded(encode, 8_000, frame * 8_000);
        }
        assert_eq!(ladder.step(), 0);
    }
}
