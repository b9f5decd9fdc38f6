//! Time, handed in so that a test can hold it still.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// CLOCK_MONOTONIC, and how long a thread may sleep for it.
pub trait Clock: Send + Sync {
    /// Microseconds.
    fn now_us(&self) -> u64;
    /// How long to wait on a condition variable for this moment; `None`: until it is woken.
    fn wait_for(&self, deadline_us: u64) -> Option<Duration>;
}

/// The machine's clock: process.hrtime's base.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_us(&self) -> u64 {
        let mut now = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: a plain call that fills the struct.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
        u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000
            + u64::try_from(now.tv_nsec).unwrap_or(0) / 1000
    }

    fn wait_for(&self, deadline_us: u64) -> Option<Duration> {
        Some(Duration::from_micros(
            deadline_us.saturating_sub(self.now_us()),
        ))
    }
}

/// A clock that stands still until it is moved. After moving it, wake the pipeline.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    /// Starts at this moment.
    #[must_use]
    pub fn at(now_us: u64) -> Self {
        Self(AtomicU64::new(now_us))
    }

    /// Moves on.
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(
            u64::try_from(by.as_micros()).unwrap_or(u64::MAX),
            Ordering::SeqCst,
        );
    }
}

impl Clock for ManualClock {
    fn now_us(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    fn wait_for(&self, _deadline_us: u64) -> Option<Duration> {
        None
    }
}
