//! Runs an encoder over a sequence and keeps what each picture cost and gave.

use device_core::codec::testing::rates::Shot;
use device_core::codec::{Ask, Encoded, Encoder};
use device_core::frames::{Bands, Picture};

use crate::clock::{Times, median, quantile, timed};
use crate::quality::{self, Quality};

/// What a picture cost; `bytes` is `None` when it was skipped.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// When it arrived, in microseconds.
    pub at_us: u64,
    /// Time in the call.
    pub times: Times,
    /// Of its unit.
    pub bytes: Option<usize>,
    /// An IDR.
    pub key: bool,
}

/// A sequence through an encoder.
#[derive(Default)]
pub struct Run {
    /// Each picture in order.
    pub costs: Vec<Cost>,
    /// All units.
    pub stream: Vec<u8>,
    /// Which shots were sent, refinements included.
    pub sent: Vec<usize>,
    /// Bands of rows that stayed since the last picture sent.
    unchanged: Option<Bands>,
}

/// How a sequence is played.
#[derive(Debug, Clone, Copy)]
pub struct Play<'a> {
    /// Pictures a second, nominally.
    pub fps: f64,
    /// Where a key frame is asked for.
    pub keys: &'a [usize],
    /// Refinements after the last picture, at most, 100 ms apart.
    pub rest: usize,
}

/// Encodes `shots` with every encoder, each picture through all of them before the next: what else the machine does
/// then hits them alike.
///
/// # Panics
/// When an encoder fails.
pub fn run(encoders: &mut [Box<dyn Encoder>], shots: &[Shot], play: Play<'_>) -> Vec<Run> {
    let mut runs: Vec<Run> = encoders.iter().map(|_| Run::default()).collect();
    let mut now = 5_000_000.0;
    for (index, shot) in shots.iter().enumerate() {
        let ask = Ask {
            key: play.keys.contains(&index),
            scroll: shot.scroll,
            dirty: shot.dirty,
            ..Ask::at(now as u64)
        };
        for (run, encoder) in runs.iter_mut().zip(&mut *encoders) {
            run.push(&mut **encoder, shot, index, ask);
        }
        now += 1e6 / play.fps;
    }
    for _ in 0..play.rest {
        now += 100_000.0;
        let ask = Ask {
            refine: true,
            dirty: 0.0,
            ..Ask::at(now as u64)
        };
        for (run, encoder) in runs
            .iter_mut()
            .zip(&mut *encoders)
            .filter(|(_, encoder)| encoder.wants_refinement())
        {
            run.push(
                &mut **encoder,
                &shots[shots.len() - 1],
                shots.len() - 1,
                ask,
            );
        }
    }
    runs
}

impl Run {
    /// Asks for a key frame of the last picture, two seconds after it.
    pub fn still_key(&mut self, encoder: &mut dyn Encoder, shots: &[Shot]) {
        let at_us = self.costs.last().map_or(0, |cost| cost.at_us) + 2_000_000;
        let index = shots.len() - 1;
        self.push(
            encoder,
            &shots[index],
            index,
            Ask {
                key: true,
                dirty: 0.0,
                ..Ask::at(at_us)
            },
        );
    }

    fn push(&mut self, encoder: &mut dyn Encoder, shot: &Shot, index: usize, ask: Ask) {
        let unchanged = match self.unchanged {
            Some(before) => before.and(&shot.unchanged),
            None => shot.unchanged,
        };
        self.unchanged = Some(unchanged);
        let ask = Ask { unchanged, ..ask };
        let (encoded, times) = timed(|| encoder.encode(&shot.picture, ask));
        let mut cost = Cost {
            at_us: ask.arrival_us,
            times,
            bytes: None,
            key: false,
        };
        if let Encoded::Unit(unit) = encoded.expect("it encodes") {
            cost.bytes = Some(unit.data.len());
            cost.key = unit.key;
            self.stream.extend_from_slice(&unit.data);
            self.sent.push(index);
            self.unchanged = None;
        }
        self.costs.push(cost);
    }

    /// CPU milliseconds of the pictures after the first.
    pub fn cpu(&self) -> Vec<f64> {
        self.costs
            .iter()
            .skip(1)
            .map(|cost| cost.times.cpu_ms)
            .collect()
    }

    /// Wall milliseconds of the pictures after the first.
    pub fn wall(&self) -> Vec<f64> {
        self.costs
            .iter()
            .skip(1)
            .map(|cost| cost.times.wall_ms)
            .collect()
    }

    /// All bytes sent.
    pub fn bytes(&self) -> usize {
        self.costs.iter().filter_map(|cost| cost.bytes).sum()
    }

    /// Quality of each sent picture; empty without ffmpeg.
    pub fn quality(&self, shots: &[Shot]) -> Vec<Quality> {
        let sources: Vec<&Picture> = self
            .sent
            .iter()
            .map(|&index| &shots[index].picture)
            .collect();
        quality::measure(self.stream.clone(), &sources).unwrap_or_default()
    }
}

/// Figures of one or more runs of the same case.
pub struct Summary {
    pub cpu_ms: f64,
    pub cpu_p10_ms: f64,
    pub cpu_p90_ms: f64,
    pub wall_ms: f64,
    pub kbps: f64,
    pub psnr: f64,
    pub psnr_min: f64,
    pub ssim: f64,
}

/// Summary of interleaved rounds; bits and picture are those of the first, for they are the same in each.
pub fn summary(runs: &[Run], shots: &[Shot], fps: f64) -> Summary {
    let cpu: Vec<f64> = runs.iter().flat_map(Run::cpu).collect();
    let wall: Vec<f64> = runs.iter().flat_map(Run::wall).collect();
    let quality = runs[0].quality(shots);
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
    Summary {
        cpu_ms: median(&cpu),
        cpu_p10_ms: quantile(&cpu, 0.1),
        cpu_p90_ms: quantile(&cpu, 0.9),
        wall_ms: median(&wall),
        kbps: runs[0].bytes() as f64 * 8.0 / 1000.0 / (shots.len() as f64 / fps),
        psnr: mean(quality.iter().map(|one| one.psnr).collect()),
        psnr_min: quality.iter().map(|one| one.psnr).fold(60.0, f64::min),
        ssim: mean(quality.iter().map(|one| one.ssim).collect()),
    }
}
