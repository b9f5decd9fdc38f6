//! What rate control does on each content at each rate: the most bits in any two seconds, the worst picture that viewers
//! saw, how long the screen froze.

use device_core::codec::testing::content::Motion;
use device_core::codec::testing::rates::{Account, BOUND, Course, longest_freeze_us, play};

use crate::cases::{CONTENDERS, FPS, contender};
use crate::quality::{self, Seen};
use crate::report::{Bar, table};
use crate::source::Screen;

/// Pictures of a course: two windows of two seconds, one before and one after the change of rate.
const FRAMES: usize = 128;
/// Seconds between two viewers who join.
const JOIN_S: f64 = 2.0;

/// Head of the lines that [`rates`] prints.
pub const HEAD: &str = "screen            motion  encoder           Mbit/s   later  2s/rate    units  skipped freeze ms  worst sent  worst shown";

/// What the columns mean.
pub const WORDS: &str = "2s/rate: the most bits in any two seconds, key frames included, against the rate (bound 1.25). skipped: pictures left out. \
freeze: the longest wait for a unit while the content changes, at the end until the last picture is seen. worst sent: PSNR of the worst decoded \
picture against its own source. worst shown: against every picture that should have been on the screen meanwhile, so a frozen picture counts.";

/// Every content at 1, 4 and 8 Mbit/s and from 8 to 2, through each encoder with rate control of our own.
pub fn rates(screen: &Screen, print: &dyn Fn(&str)) -> Vec<Bar> {
    let full = screen.rate();
    let mut bars = Vec::new();
    for motion in Motion::ALL {
        let shots = screen.shots(motion, FRAMES);
        for one in CONTENDERS.iter().filter(|one| one.is_ours()) {
            for (rate, later) in [
                (full / 8, full / 8),
                (full / 2, full / 2),
                (full, full),
                (full, full / 4),
            ] {
                let Ok(mut encoder) = contender(one, screen, rate) else {
                    continue;
                };
                let course = Course {
                    interval_us: (1e6 / FPS) as u64,
                    key_every: (JOIN_S * FPS) as usize,
                    rate,
                    later,
                };
                let account = play(&mut *encoder, &shots, course).expect("it encodes");
                let sent: Vec<usize> = account.sent.iter().map(|sent| sent.shot).collect();
                let pictures: Vec<_> = shots.iter().map(|shot| &shot.picture).collect();
                let seen = quality::seen(account.stream.clone(), &pictures, &sent);
                let case = Case {
                    screen,
                    motion,
                    encoder: one.name,
                    rate,
                    later,
                };
                print(&case.line(&account, seen));
                bars.extend(case.bars(&account, seen));
            }
        }
    }
    bars
}

/// One line of the report.
struct Case<'a> {
    screen: &'a Screen,
    motion: Motion,
    encoder: &'a str,
    rate: u32,
    later: u32,
}

impl Case<'_> {
    fn line(&self, account: &Account, seen: Option<Seen>) -> String {
        let decibels = |value: Option<f64>| value.map_or("-".to_owned(), |db| format!("{db:.1}"));
        format!(
            "{:<18}{:<8}{:<18}{:>6.2} {:>7.2} {:>8.3}{:>9}{:>9}{:>10.0}{:>12}{:>13}",
            self.screen.label(),
            self.motion.name(),
            self.encoder,
            f64::from(self.rate) / 1e6,
            f64::from(self.later) / 1e6,
            account.most_bits,
            account.sent.len(),
            account.skipped,
            account.freeze_us as f64 / 1e3,
            decibels(seen.map(|seen| seen.worst_sent)),
            decibels(seen.map(|seen| seen.worst_shown)),
        )
    }

    /// The bound on bits with the other figures beside it, and the longest freeze.
    fn bars(&self, account: &Account, seen: Option<Seen>) -> [Bar; 2] {
        let megabits = |rate: u32| format!("{:.2}", f64::from(rate) / 1e6);
        let rate = if self.rate == self.later {
            megabits(self.rate)
        } else {
            format!("{} to {}", megabits(self.rate), megabits(self.later))
        };
        let case = format!(
            "{}, {}, {rate} Mbit/s, {}",
            self.encoder,
            self.motion.name(),
            self.screen.label()
        );
        let mut beside = vec![
            ("units", account.sent.len() as f64),
            ("skipped", account.skipped as f64),
        ];
        if let Some(seen) = seen {
            beside.push(("worst_sent_db", seen.worst_sent));
            beside.push(("worst_shown_db", seen.worst_shown));
        }
        let name = format!("most bits in any 2 s / rate, {case}");
        let bits = Bar {
            beside,
            ..Bar::exact(name, account.most_bits, BOUND, BOUND)
        };
        let longest_ms = longest_freeze_us(self.motion) as f64 / 1e3;
        let freeze_ms = account.freeze_us as f64 / 1e3;
        let freeze = Bar::exact(
            format!("freeze, ms, {case}"),
            freeze_ms,
            longest_ms,
            longest_ms,
        );
        [bits, freeze]
    }
}

/// The bars that were missed, and the highest of all.
pub fn worst(bars: &[Bar]) -> String {
    let highest = |start: &str| {
        bars.iter()
            .filter(|bar| bar.name.starts_with(start))
            .max_by(|one, two| one.value.total_cmp(&two.value))
    };
    let mut shown: Vec<Bar> = bars.iter().filter(|bar| !bar.pass()).cloned().collect();
    shown.extend(
        ["most bits", "freeze"]
            .into_iter()
            .filter_map(highest)
            .cloned(),
    );
    shown.dedup_by(|one, two| one.name == two.name);
    table(&shown)
}
