//! Scrolling with inertia, as pure functions of time: the same gesture ends at the same place at any frame rate.

/// How quickly a fling dies away: the time in which its speed falls to 1/e, in ms.
const TAU_MS: f64 = 325.0;
/// Slower than this (pixels a ms) a fling is over.
const REST: f64 = 0.02;

/// A scroll position, at rest or in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scroll {
    /// Not moving.
    Rest(f64),
    /// Let go at `from` with a speed in pixels a ms.
    Fling {
        /// Position when let go.
        from: f64,
        /// Pixels a ms, then.
        speed: f64,
        /// When, in ms.
        since: f64,
    },
}

impl Default for Scroll {
    fn default() -> Self {
        Self::Rest(0.0)
    }
}

impl Scroll {
    /// Lets go at a place with a speed.
    #[must_use]
    pub fn fling(from: f64, speed: f64, now: f64) -> Self {
        if speed.abs() <= REST {
            Self::Rest(from)
        } else {
            Self::Fling {
                from,
                speed,
                since: now,
            }
        }
    }

    /// Where it is now, and whether it still moves.
    #[must_use]
    pub fn at(&self, now: f64, max: f64) -> (f64, bool) {
        match *self {
            Self::Rest(at) => (at.clamp(0.0, max), false),
            Self::Fling { from, speed, since } => {
                let t = (now - since).max(0.0);
                let ends = TAU_MS * (speed.abs() / REST).ln();
                let at = from + speed * TAU_MS * (1.0 - (-t.min(ends) / TAU_MS).exp());
                let inside = at.clamp(0.0, max);
                (inside, t < ends && (inside - at).abs() < f64::EPSILON)
            }
        }
    }
}

/// The last places of a finger, to know its speed when it lets go.
#[derive(Clone, Debug, Default)]
pub struct Velocity {
    samples: Vec<(f64, f64)>,
}

impl Velocity {
    /// Only the last moments count, in ms.
    const WINDOW_MS: f64 = 80.0;

    /// The finger was here then.
    pub fn add(&mut self, now: f64, at: f64) {
        self.samples
            .retain(|(t, _)| now - t <= Self::WINDOW_MS * 2.0);
        if self.samples.len() > 64 {
            self.samples.remove(0);
        }
        self.samples.push((now, at));
    }

    /// Where the finger was last.
    #[must_use]
    pub fn last(&self) -> f64 {
        self.samples.last().map_or(0.0, |sample| sample.1)
    }

    /// Pixels a ms; 0 when the finger rested before it let go.
    #[must_use]
    pub fn speed(&self, now: f64) -> f64 {
        let recent: Vec<_> = self
            .samples
            .iter()
            .filter(|(t, _)| now - t <= Self::WINDOW_MS)
            .collect();
        match (recent.first(), recent.last()) {
            (Some(a), Some(b)) if b.0 - a.0 >= 4.0 => {
                ((b.1 - a.1) / (b.0 - a.0)).clamp(-12.0, 12.0)
            }
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fling_ends_at_the_same_place_however_often_it_is_asked() {
        let fling = Scroll::fling(100.0, 3.0, 0.0);
        let mut by_steps = 0.0;
        for step in 0..600 {
            by_steps = fling.at(f64::from(step) * 16.667, 1e9).0;
        }
        assert!((by_steps - fling.at(1e7, 1e9).0).abs() < 1e-9);
        assert!((by_steps - (100.0 + 3.0 * TAU_MS - REST * TAU_MS)).abs() < 1e-6);
    }

    #[test]
    fn a_fling_slows_and_stops() {
        let fling = Scroll::fling(0.0, 2.0, 0.0);
        let steps: Vec<f64> = (0..20)
            .map(|i| fling.at(f64::from(i) * 16.0, 1e9).0)
            .collect();
        let moves: Vec<f64> = steps.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(moves.windows(2).all(|w| w[1] < w[0]));
        assert!(fling.at(100.0, 1e9).1);
        assert!(!fling.at(10_000.0, 1e9).1);
    }

    #[test]
    fn an_end_stops_it() {
        let fling = Scroll::fling(0.0, 5.0, 0.0);
        assert_eq!(fling.at(5_000.0, 300.0), (300.0, false));
    }

    #[test]
    fn a_finger_that_rested_has_no_speed() {
        let mut v = Velocity::default();
        for i in 0..10 {
            v.add(f64::from(i) * 8.0, f64::from(i) * 16.0);
        }
        assert!((v.speed(72.0) - 2.0).abs() < 1e-9);
        assert!(v.speed(400.0).abs() < f64::EPSILON);
    }
}
