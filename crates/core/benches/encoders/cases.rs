//! The encoders against one another on each content.

use device_core::codec::testing::content::Motion;
use device_core::codec::{Choice, CodecError, Config, Encoder, Tuning, open};

use crate::encode::{Play, Run, Summary, run, summary};
use crate::report::Bar;
use crate::source::Screen;

/// Pictures a second.
pub const FPS: f64 = 32.0;

/// A contender by its name.
pub struct Contender {
    /// As the tables have it.
    pub name: &'static str,
    choice: Choice,
    tuning: Tuning,
    threads: usize,
}

/// All that are compared.
pub const CONTENDERS: [Contender; 5] = [
    Contender {
        name: "x264 ABR",
        choice: Choice::X264,
        tuning: Tuning::AbrBaseline,
        threads: 1,
    },
    Contender {
        name: "x264 tuned",
        choice: Choice::X264,
        tuning: Tuning::Screen,
        threads: 1,
    },
    Contender {
        name: "x264 tuned, 2 slices",
        choice: Choice::X264,
        tuning: Tuning::Screen,
        threads: 2,
    },
    Contender {
        name: "OpenH264 own",
        choice: Choice::OpenH264,
        tuning: Tuning::AbrBaseline,
        threads: 1,
    },
    Contender {
        name: "OpenH264 tuned",
        choice: Choice::OpenH264,
        tuning: Tuning::Screen,
        threads: 1,
    },
];

impl Contender {
    /// Its rate control is ours, on one thread: what viewers get.
    pub fn is_ours(&self) -> bool {
        self.tuning == Tuning::Screen && self.threads == 1
    }
}

/// How long and how often.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Pictures of a sequence.
    pub frames: usize,
    /// Times that it is played.
    pub rounds: usize,
}

/// Opens a contender at a rate in bits a second.
///
/// # Errors
/// When the machine has none, or it refuses.
pub fn contender(
    one: &Contender,
    screen: &Screen,
    rate: u32,
) -> Result<Box<dyn Encoder>, CodecError> {
    let (width, height) = screen.content.size();
    let config = Config {
        bits_per_second: rate,
        tuning: one.tuning,
        threads: one.threads,
        openh264_path: std::env::var_os("BB_OPENH264").map(Into::into),
        ..Config::new(width, height)
    };
    open(one.choice, &config)
}

/// Contenders on a motion, each picture through all of them; prints a line each and gives the bars of the motion.
pub fn compare(screen: &Screen, motion: Motion, effort: Effort, print: &dyn Fn(&str)) -> Vec<Bar> {
    let shots = screen.shots(motion, effort.frames);
    let there: Vec<&Contender> = CONTENDERS
        .iter()
        .filter(|one| contender(one, screen, screen.rate()).is_ok())
        .collect();
    let mut rounds: Vec<Vec<Run>> = there.iter().map(|_| Vec::new()).collect();
    for _ in 0..effort.rounds {
        let mut encoders: Vec<_> = there
            .iter()
            .map(|one| contender(one, screen, screen.rate()).expect("it opened before"))
            .collect();
        let play = Play {
            fps: FPS,
            keys: &[],
            rest: 0,
        };
        for (runs, run) in rounds.iter_mut().zip(run(&mut encoders, &shots, play)) {
            runs.push(run);
        }
    }
    let figures: Vec<(&str, Summary)> = there
        .iter()
        .zip(&rounds)
        .map(|(one, runs)| (one.name, summary(runs, &shots, FPS)))
        .collect();
    for ((name, figure), runs) in figures.iter().zip(&rounds) {
        let key = &runs[0].costs[0];
        print(&format!(
            "{:<18}{:<8}{name:<22}{:>8.2}{:>8.2}{:>8.2}{:>8.2}{:>9.0}{:>8.1}{:>8.1}{:>8.4}{:>9.2}{:>8}",
            screen.label(),
            motion.name(),
            figure.cpu_ms,
            figure.cpu_p10_ms,
            figure.cpu_p90_ms,
            figure.wall_ms,
            figure.kbps,
            figure.psnr,
            figure.psnr_min,
            figure.ssim,
            key.times.cpu_ms,
            key.bytes.unwrap_or(0) / 1000
        ));
    }
    bars(&screen.label(), motion, &figures)
}

/// Head of the lines that [`compare`] prints.
pub const HEAD: &str = "screen            motion  encoder                 cpu ms     p10     p90 wall ms     kbps    psnr   worst    ssim   IDR ms  IDR KB";

fn bars(label: &str, motion: Motion, figures: &[(&str, Summary)]) -> Vec<Bar> {
    let find = |name: &str| {
        figures
            .iter()
            .find(|(one, _)| *one == name)
            .map(|(_, figure)| figure)
    };
    let Some(base) = find("x264 ABR") else {
        return Vec::new();
    };
    let mut bars = Vec::new();
    if let Some(tuned) = find("x264 tuned") {
        let cpu = tuned.cpu_ms / base.cpu_ms;
        let name = format!("tuned / ABR baseline, CPU, {}, {label}", motion.name());
        match motion {
            Motion::Scroll => bars.push(Bar::time(name, cpu, 0.80, 0.65)),
            Motion::Small => bars.push(Bar::time(name, cpu, 0.70, 0.50)),
            _ => bars.push(Bar::figure(name, cpu)),
        }
        if matches!(motion, Motion::Scroll | Motion::Small) {
            let lost = base.psnr_min - tuned.psnr_min;
            let name = format!(
                "worst frame, dB lost to the baseline, {}, {label}",
                motion.name()
            );
            bars.push(Bar::exact(name, lost, 0.0, 0.0));
        }
        if motion == Motion::Scroll {
            let name = format!("tuned / ABR baseline, bits, scroll, {label}");
            bars.push(Bar::exact(name, tuned.kbps / base.kbps, 0.75, 0.50));
        }
    }
    for (name, figure) in figures.iter().filter(|(name, _)| name.starts_with("Open")) {
        let name = format!(
            "{name} / x264 ABR baseline, CPU, {}, {label}",
            motion.name()
        );
        bars.push(Bar::figure(name, figure.cpu_ms / base.cpu_ms));
    }
    bars
}

/// A key frame on a still screen after each motion: how much worse than the picture before it looks, in dB.
pub fn key_pictures(screen: &Screen, frames: usize) -> Vec<Bar> {
    let mut lost = 0.0_f64;
    for motion in [Motion::Scroll, Motion::Small, Motion::Slide] {
        let shots = screen.shots(motion, frames);
        let Ok(mut encoder) = contender(&CONTENDERS[1], screen, screen.rate()) else {
            return Vec::new();
        };
        let mut runs = run(
            std::slice::from_mut(&mut encoder),
            &shots,
            Play {
                fps: FPS,
                keys: &[],
                rest: 3,
            },
        );
        let mut whole = runs.remove(0);
        whole.still_key(&mut *encoder, &shots);
        let quality = whole.quality(&shots);
        if let [.., before, key] = &quality[..] {
            lost = lost.max(before.psnr - key.psnr);
        }
    }
    vec![Bar::exact(
        format!("still-screen key frame, dB lost, {}", screen.label()),
        lost,
        1.0,
        0.5,
    )]
}
