//! What tests, benches and fuzz targets of this and other modules share: a faulty encoder, seeded randomness, fuzz bodies.

pub mod content;
pub mod fuzz;
pub mod page;
pub mod rates;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::{Ask, CodecError, Encoded, Encoder, Unit};
use crate::frames::Picture;

/// A small seeded generator (SplitMix64): the same numbers on every machine.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number under `limit`; 0 when the limit is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        let limit = limit as u64;
        if limit == 0 {
            0
        } else {
            usize::try_from(self.next_u64() % limit).unwrap_or(0)
        }
    }

    /// Up to `limit` random bytes.
    pub fn bytes(&mut self, limit: usize) -> Vec<u8> {
        (0..self.below(limit + 1))
            .map(|_| self.next_u64().to_le_bytes()[0])
            .collect()
    }

    /// Flips, removes, inserts or repeats something in `bytes`.
    pub fn damage(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len());
        match self.below(4) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
            1 if !bytes.is_empty() => bytes.truncate(at),
            2 => bytes.insert(at, [0, 0, 1, 3, 255, 0x67][self.below(6)]),
            _ => {
                let end = at + self.below(bytes.len() - at + 1).min(16);
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
        }
    }
}

/// How a [`FaultyEncoder`] behaves at one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Gives a unit.
    None,
    /// Gives [`CodecError::Encode`].
    Fail,
    /// Panics.
    Panic,
    /// Gives [`Encoded::Skipped`].
    Skip,
    /// Holds the call this long, then gives a unit.
    Stall(Duration),
}

/// A test double: behaves as its script says call by call, then gives units for ever.
#[derive(Debug)]
pub struct FaultyEncoder {
    script: std::vec::IntoIter<Fault>,
    first: bool,
    refinements: u32,
    calls: Arc<AtomicU32>,
    bits_per_second: u32,
    load_step: u8,
}

impl FaultyEncoder {
    /// Follows `script`.
    #[must_use]
    pub fn new(script: Vec<Fault>) -> Self {
        Self {
            script: script.into_iter(),
            first: true,
            refinements: 0,
            calls: Arc::default(),
            bits_per_second: 0,
            load_step: 0,
        }
    }

    /// Wants this many refinements after each change.
    #[must_use]
    pub fn refining(mut self, refinements: u32) -> Self {
        self.refinements = refinements;
        self
    }

    /// How often it was called; stays readable after the encoder moved to its thread.
    #[must_use]
    pub fn calls(&self) -> Arc<AtomicU32> {
        Arc::clone(&self.calls)
    }

    /// The bit rate and load step last set.
    #[must_use]
    pub fn settings(&self) -> (u32, u8) {
        (self.bits_per_second, self.load_step)
    }

    /// What opening an encoder gives on a machine without one.
    ///
    /// # Errors
    /// Always.
    pub fn open_fails() -> Result<Box<dyn Encoder>, CodecError> {
        Err(CodecError::Open("the test wants it so".into()))
    }
}

impl Encoder for FaultyEncoder {
    fn name(&self) -> &str {
        "faulty"
    }

    fn version(&self) -> &str {
        "0"
    }

    fn encode(&mut self, _picture: &Picture, ask: Ask) -> Result<Encoded, CodecError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        match self.script.next().unwrap_or(Fault::None) {
            Fault::Fail => return Err(CodecError::Encode("the test wants it so".into())),
            Fault::Panic => panic!("the test wants it so"),
            Fault::Skip => return Ok(Encoded::Skipped),
            Fault::Stall(time) => std::thread::sleep(time),
            Fault::None => {}
        }
        self.refinements = self.refinements.saturating_sub(u32::from(ask.refine));
        let key = ask.key || std::mem::take(&mut self.first);
        let body: &[u8] = if key {
            &[
                0, 0, 0, 1, 0x67, 0x42, 0xc0, 0x0a, 0xf8, 0x41, 0xa2, 0, 0, 0, 1, 0x68, 0xce, 0x3c,
                0x80, 0, 0, 0, 1, 0x65, 0x88, 0x84,
            ]
        } else {
            &[0, 0, 0, 1, 0x41, 0x9a, 0x21]
        };
        Ok(Encoded::Unit(Unit {
            data: body.to_vec(),
            key,
        }))
    }

    fn set_bitrate(&mut self, bits_per_second: u32) {
        self.bits_per_second = bits_per_second;
    }

    fn set_load_step(&mut self, step: u8) {
        self.load_step = step;
    }

    fn wants_refinement(&self) -> bool {
        self.refinements > 0
    }
}
