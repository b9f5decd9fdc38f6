//! What a pipeline tells: units, events, counters.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::codec::Unit;

/// When a picture passed each stage, CLOCK_MONOTONIC microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamps {
    /// The device posted it.
    pub capture_us: u64,
    /// It was converted.
    pub converted_us: u64,
    /// It was encoded.
    pub encoded_us: u64,
}

/// A unit with what a viewer needs beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamped {
    /// The access unit.
    pub unit: Unit,
    /// The geometry generation.
    pub generation: u32,
    /// The device's pixels; the coded picture is padded to even sizes.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// A re-encode of a still picture: not a change.
    pub refinement: bool,
    /// The stage clocks.
    pub stamps: Stamps,
}

/// What happened besides units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The screen changed, at this moment (never for refinements).
    Changed {
        /// When the changed frame arrived, CLOCK_MONOTONIC microseconds.
        at_us: u64,
    },
    /// An encoder is open.
    Encoder {
        /// "x264" or "OpenH264".
        name: String,
        /// As the library says it.
        version: String,
    },
    /// The encoder failed or could not be opened; it is tried again.
    EncoderFailed {
        /// Why, for a person.
        words: String,
    },
    /// The region cannot be read.
    RegionFailed {
        /// Why, for a person.
        words: String,
    },
}

/// There was no room for a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full;

/// Where units and events go. Called from the pipeline's threads; must not block.
pub trait Outlet: Send + Sync {
    /// Takes a unit.
    ///
    /// # Errors
    /// [`Full`]: it was dropped; nothing but a key unit may follow.
    fn unit(&self, unit: Stamped) -> Result<(), Full>;
    /// Is there room for a unit? Whoever makes room wakes the pipeline.
    fn room(&self) -> bool;
    /// Takes an event.
    fn event(&self, event: Event);
}

/// Counters since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Notices and pushes.
    pub frames_in: u64,
    /// Frames that showed nothing new.
    pub frames_unchanged: u64,
    /// Frames that a newer one replaced before they were encoded.
    pub frames_replaced: u64,
    /// Frames that rate control skipped.
    pub frames_skipped: u64,
    /// Units handed over.
    pub units_out: u64,
    /// Units that found no room.
    pub units_dropped: u64,
    /// Key units among those handed over.
    pub key_frames: u64,
    /// Refinements among those handed over.
    pub refinements: u64,
    /// Encoders opened again after a failure.
    pub encoder_restarts: u64,
    /// Bytes handed over.
    pub bytes_out: u64,
    /// The load ladder's step.
    pub load_step: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) frames_in: AtomicU64,
    pub(super) frames_unchanged: AtomicU64,
    pub(super) frames_replaced: AtomicU64,
    pub(super) frames_skipped: AtomicU64,
    pub(super) units_out: AtomicU64,
    pub(super) units_dropped: AtomicU64,
    pub(super) key_frames: AtomicU64,
    pub(super) refinements: AtomicU64,
    pub(super) encoder_restarts: AtomicU64,
    pub(super) bytes_out: AtomicU64,
    pub(super) load_step: AtomicU64,
}

pub(super) fn add(counter: &AtomicU64, value: u64) {
    counter.fetch_add(value, Ordering::Relaxed);
}

impl Counters {
    pub(super) fn read(&self) -> Stats {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Stats {
            frames_in: get(&self.frames_in),
            frames_unchanged: get(&self.frames_unchanged),
            frames_replaced: get(&self.frames_replaced),
            frames_skipped: get(&self.frames_skipped),
            units_out: get(&self.units_out),
            units_dropped: get(&self.units_dropped),
            key_frames: get(&self.key_frames),
            refinements: get(&self.refinements),
            encoder_restarts: get(&self.encoder_restarts),
            bytes_out: get(&self.bytes_out),
            load_step: get(&self.load_step),
        }
    }
}
