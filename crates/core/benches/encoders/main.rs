//! The encoders: time beside picture and bits, rate control on every content, and the bars.
//!
//! `cargo bench -p device-core --bench encoders -- [--quick] [--screen phone] [--only ratios|rate] [--rounds N] [--json FILE]`. With BB_SCREENS set to a
//! folder of captured screens they are measured beside the drawn ones; with BB_OPENH264 set, Cisco's library at that path.

mod cases;
mod clock;
mod encode;
mod quality;
mod rates;
mod report;
mod source;
mod whole;

use std::io::Write as _;
use std::path::PathBuf;

use device_core::codec::list;
use device_core::codec::testing::content::Motion;

use cases::Effort;
use report::{Bar, table, twice};
use source::Screen;

fn print(line: &str) {
    // A closed pipe is the reader's choice.
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn screens(quick: bool) -> Vec<Screen> {
    let sizes: &[(&str, usize, usize)] = if quick {
        &[("quick", 360, 800)]
    } else {
        &[
            ("phone", 1080, 2400),
            ("fold", 2208, 1840),
            ("tablet", 2560, 1600),
        ]
    };
    let mut screens: Vec<Screen> = sizes
        .iter()
        .map(|&(name, width, height)| source::drawn(name, width, height))
        .collect();
    if let Some(folder) = std::env::var_os("BB_SCREENS")
        .map(PathBuf::from)
        .filter(|_| !quick)
    {
        let sizes = [
            ("phone", 1080, 2400),
            ("fold", 2076, 2152),
            ("tablet", 2560, 1600),
        ];
        screens.extend(
            sizes
                .into_iter()
                .filter_map(|(name, width, height)| source::captured(name, &folder, width, height)),
        );
    }
    screens
}

fn header() {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .unwrap_or("unknown");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    print(&format!(
        "CPU {}, {cores} cores",
        model.trim_start_matches(['\t', ':', ' '])
    ));
    for found in list(None) {
        if let Ok(version) = found.version {
            print(&format!("{} {version}, {}", found.name, found.origin));
        }
    }
    print(&format!(
        "32 pictures a second, 8 Mbit/s, drawn with seed {}; each picture goes through all encoders in turn",
        source::SEED
    ));
}

fn ratios(screens: &[Screen], effort: Effort, quick: bool) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    print(cases::HEAD);
    for screen in screens {
        for motion in [
            Motion::Scroll,
            Motion::Small,
            Motion::Still,
            Motion::Slide,
            Motion::Cut,
        ] {
            bars.extend(twice(|| cases::compare(screen, motion, effort, &print)));
        }
        bars.extend(cases::key_pictures(screen, effort.frames));
        if !quick {
            bars.extend(twice(|| whole::against_ffmpeg(screen, effort.frames)));
        }
    }
    if quick {
        // Half a second on a small screen shows that it works.
        for bar in &mut bars {
            (bar.bar, bar.aim) = (None, None);
        }
    }
    print(&table(&bars));
    bars
}

/// The bounds hold on every screen, so the small one of a quick run is judged too.
fn rate(screens: &[Screen]) -> Vec<Bar> {
    print(rates::WORDS);
    print(rates::HEAD);
    let bars: Vec<Bar> = screens
        .iter()
        .filter(|screen| matches!(screen.name, "phone" | "quick"))
        .flat_map(|screen| rates::rates(screen, &print))
        .collect();
    print(&rates::worst(&bars));
    bars
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    // Cargo says --bench when it is a bench that it runs, and nothing when it only tests that it works.
    let has = |name: &str| words.iter().any(|word| word == name);
    let quick = has("--quick") || !has("--bench");
    let after = |name: &str| {
        let at = words.iter().position(|word| word == name)?;
        words.get(at + 1).map(String::as_str)
    };
    let effort = if quick {
        Effort {
            frames: 16,
            rounds: 1,
        }
    } else {
        Effort {
            frames: 64,
            rounds: 3,
        }
    };
    let rounds = after("--rounds")
        .and_then(|count| count.parse().ok())
        .unwrap_or(effort.rounds);
    let effort = Effort { rounds, ..effort };
    header();
    let only = after("--screen");
    let mut screens = screens(quick);
    screens.retain(|screen| only.is_none_or(|name| name == screen.name));
    let wanted = |name: &str| after("--only").is_none_or(|only| only == name);
    let mut bars: Vec<Bar> = Vec::new();
    if wanted("ratios") {
        bars.extend(ratios(&screens, effort, quick));
    }
    if wanted("rate") {
        bars.extend(rate(&screens));
    }
    if let Some(file) = after("--json") {
        let lines: String = bars.iter().map(|bar| bar.json() + "\n").collect();
        if let Err(error) = std::fs::write(file, lines) {
            print(&format!("the results cannot be written to {file}: {error}"));
        }
    }
}
