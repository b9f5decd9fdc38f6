//! What frames cost from shared memory to an access unit, as ratios to what must be paid anyway: a copy of the frame,
//! or the encode. Each side is measured in turn on the same frames, in CPU time of the thread; medians.
//!
//! `cargo bench -p device-core --bench frames -- [--quick] [--json FILE]`. A bar is missed at more than 5% over it, twice.

mod kernels;
mod pipeline;

use std::fmt::Write as _;
use std::io::Write as _;

/// A ratio, its bar and its aim.
pub struct Ratio {
    /// Of what to what, and on which screen.
    pub name: String,
    /// Measured.
    pub value: f64,
    /// At most this.
    pub bar: f64,
    /// Hoped for.
    pub aim: f64,
    /// The two sides in milliseconds.
    pub sides_ms: (f64, f64),
}

/// Noise that a bar forgives.
const SLACK: f64 = 1.05;

impl Ratio {
    /// One side over the other.
    pub fn new(name: impl Into<String>, sides_ms: (f64, f64), bar: f64, aim: f64) -> Self {
        Self {
            name: name.into(),
            value: sides_ms.0 / sides_ms.1,
            bar,
            aim,
            sides_ms,
        }
    }

    fn pass(&self) -> bool {
        self.value <= self.bar * SLACK
    }

    fn json(&self) -> String {
        format!(
            r#"{{"name":"{}","value":{:.4},"bar":{},"aim":{},"pass":{},"ms":{:.4},"of_ms":{:.4}}}"#,
            self.name,
            self.value,
            self.bar,
            self.aim,
            self.pass(),
            self.sides_ms.0,
            self.sides_ms.1
        )
    }
}

/// CPU milliseconds of this thread for `work`.
pub fn cpu_ms(work: impl FnOnce()) -> f64 {
    let now = || {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the call fills the structure that it is given.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
        time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
    };
    let start = now();
    work();
    now() - start
}

/// The median; 0 of none.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// A screen by its name and size in pixels.
pub const SCREENS: [(&str, u32, u32); 3] = [
    ("phone", 1080, 2400),
    ("fold", 2208, 1840),
    ("tablet", 2560, 1600),
];

fn measured(group: &dyn Fn() -> Vec<Ratio>) -> Vec<Ratio> {
    let first = group();
    if first.iter().all(Ratio::pass) {
        return first;
    }
    // Once more before a miss counts; the better of the two.
    let again = group();
    let better = |(one, two): (Ratio, Ratio)| if two.value < one.value { two } else { one };
    first.into_iter().zip(again).map(better).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let file = arguments
        .iter()
        .position(|word| word == "--json")
        .and_then(|at| arguments.get(at + 1));
    let quick = arguments.iter().any(|word| word == "--quick");
    let screens = &SCREENS[..if quick { 1 } else { SCREENS.len() }];
    let mut groups: Vec<Box<dyn Fn() -> Vec<Ratio>>> = Vec::new();
    for &(screen, width, height) in screens {
        groups.push(Box::new(move || kernels::ratios(screen, width, height)));
        groups.push(Box::new(move || {
            pipeline::encode_ratios(screen, width, height)
        }));
    }
    groups.push(Box::new(pipeline::key_frame));
    groups.push(Box::new(pipeline::stills));

    say(&format!(
        "{:<62}{:>9}{:>9}{:>8}{:>6}{:>6}",
        "ratio", "ms", "of ms", "ratio", "bar", "aim"
    ));
    let mut lines = String::new();
    for ratio in groups.iter().flat_map(|group| measured(group)) {
        let Ratio {
            name,
            value,
            bar,
            aim,
            sides_ms: (one, other),
        } = &ratio;
        let mark = if ratio.pass() { "" } else { "  MISSED" };
        say(&format!(
            "{name:<62}{one:>9.3}{other:>9.3}{value:>8.3}{bar:>6}{aim:>6}{mark}"
        ));
        let _ = writeln!(lines, "{}", ratio.json());
    }
    if let Some(file) = file {
        std::fs::write(file, lines).expect("the results can be written");
    }
}

/// A line as soon as it is known; whoever reads no longer is no fault.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}");
}
