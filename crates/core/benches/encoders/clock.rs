//! Time that the process spent, its encoders' threads included, and time that passed.

/// Times of one call, in milliseconds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Times {
    /// CPU time of the process: nothing else in it runs meanwhile.
    pub cpu_ms: f64,
    /// Time that passed.
    pub wall_ms: f64,
}

/// Runs `work` and says how long it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Times) {
    let (cpu, wall) = (process_cpu_ms(), std::time::Instant::now());
    let result = work();
    let times = Times {
        wall_ms: wall.elapsed().as_secs_f64() * 1e3,
        cpu_ms: process_cpu_ms() - cpu,
    };
    (result, times)
}

fn process_cpu_ms() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call fills the structure that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// CPU time of all children that ended, in milliseconds.
pub fn children_cpu_ms() -> f64 {
    // SAFETY: all zeros is a valid value of this plain structure, and the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    [usage.ru_utime, usage.ru_stime]
        .iter()
        .map(|time| time.tv_sec as f64 * 1e3 + time.tv_usec as f64 / 1e3)
        .sum()
}

/// A quantile of values, 0.5 being the median; 0 of none.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = ((sorted.len().saturating_sub(1)) as f64 * share).round() as usize;
    sorted.get(at).copied().unwrap_or(0.0)
}

/// The median.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}
