//! What was sent in the last two seconds, and what may have been: the bound that no content breaks.

use std::collections::VecDeque;

/// The length over which the bound holds, in microseconds.
pub const WINDOW_US: u64 = 2_000_000;
/// How far above the target rate any such stretch may lie, with 2% kept back.
const EXCESS: f64 = 1.25 * 0.98;

/// Sent bits and target rates of the recent past.
#[derive(Debug)]
pub struct Window {
    sent: VecDeque<(u64, u64)>,
    /// When each target rate began, in bits a second; the last is in force.
    rates: VecDeque<(u64, f64)>,
}

impl Window {
    /// Starts empty at a rate in bits a second.
    pub fn new(rate: f64) -> Self {
        Self {
            sent: VecDeque::new(),
            rates: VecDeque::from([(0, rate)]),
        }
    }

    /// A new rate from `now_us` on.
    pub fn set_rate(&mut self, now_us: u64, rate: f64) {
        self.rates.push_back((now_us, rate));
    }

    /// Counts a unit.
    pub fn add(&mut self, now_us: u64, bits: u64) {
        self.sent.push_back((now_us, bits));
    }

    /// Bits that may still be sent at `now_us` within the bound; less than zero never comes back.
    pub fn room(&mut self, now_us: u64) -> f64 {
        let begin = now_us.saturating_sub(WINDOW_US);
        while self.sent.front().is_some_and(|&(at, _)| at < begin) {
            self.sent.pop_front();
        }
        while self.rates.get(1).is_some_and(|&(at, _)| at <= begin) {
            self.rates.pop_front();
        }
        let mut allowed = 0.0;
        for (index, &(from, rate)) in self.rates.iter().enumerate() {
            let until = self
                .rates
                .get(index + 1)
                .map_or(begin + WINDOW_US, |&(at, _)| at);
            allowed += rate * until.saturating_sub(from.max(begin)) as f64 / 1e6;
        }
        let sent: u64 = self.sent.iter().map(|&(_, bits)| bits).sum();
        (allowed * EXCESS - sent as f64).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Window;

    #[test]
    fn what_was_sent_two_seconds_ago_makes_room_again() {
        let mut window = Window::new(1e6);
        assert_eq!(window.room(10_000_000).round(), 2_450_000.0);
        window.add(10_000_000, 2_000_000);
        assert_eq!(window.room(11_999_999).round(), 450_000.0);
        assert_eq!(window.room(12_000_001).round(), 2_450_000.0);
    }

    #[test]
    fn a_change_of_rate_counts_for_its_share_of_the_window() {
        let mut window = Window::new(8e6);
        window.set_rate(10_000_000, 1e6);
        assert_eq!(window.room(10_000_000).round(), 19_600_000.0);
        assert_eq!(window.room(11_000_000).round(), 11_025_000.0);
        assert_eq!(window.room(12_000_000).round(), 2_450_000.0);
    }
}
