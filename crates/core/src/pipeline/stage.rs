//! The encoder's side: what to encode next and when, and how an encoder that fails is opened again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::SyncSender;

use super::ladder::Ladder;
use super::report::{Event, Stamped, Stamps, add};
use super::shared::{Copied, Posted, Shared, State};
use crate::codec::{Ask, CodecError, Encoded, Encoder, Unit};
use crate::frames::{Bands, ScrollFinder, dirty_fraction};

/// Stillness before a refinement, and between two.
const REFINE_AFTER_US: u64 = 100_000;
const REFINE_AGAIN_US: u64 = 33_000;
const REFINEMENTS: u32 = 3;
/// Refinements that rate control may put off before the picture stays as it is: a still screen comes to rest.
const REFINE_SKIPS: u32 = 20;
/// A picture that rate control skipped is tried again after this, unless a newer one comes.
const SKIP_RETRY_US: u64 = 33_000;
/// Waits before an encoder is opened again, by failures in a row: the first try is at once, and the
/// longest stall that a viewer sees stays under a second.
const BACK_OFF_US: [u64; 5] = [0, 50_000, 100_000, 200_000, 400_000];

/// Opens an encoder for a size in pixels and a bit rate.
pub type Opener = Box<dyn FnMut(usize, usize, u32) -> Result<Box<dyn Encoder>, CodecError> + Send>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Job {
    Open,
    Encode { key: bool },
    Refine,
    Wait(Option<u64>),
}

pub(super) struct EncodeThread {
    shared: Arc<Shared>,
    opener: Opener,
    encoder: Option<Box<dyn Encoder>>,
    /// The generation that the open encoder serves.
    generation: Option<u32>,
    current: Option<Posted>,
    /// The current picture has not been encoded yet.
    pending: bool,
    /// Nor has it been tried: what is tried again arrives anew, since rate control lives on real time.
    untried: bool,
    key_wanted: bool,
    /// Hashes of the rows of the last encoded picture.
    encoded_rows: Vec<u64>,
    scroll: ScrollFinder,
    ladder: Ladder,
    bits_per_second: u32,
    started_us: Option<u64>,
    refine_at_us: Option<u64>,
    refinements: u32,
    refine_skips: u32,
    skipped_until_us: u64,
    failures: usize,
    retry_at_us: u64,
    told: Option<String>,
}

impl EncodeThread {
    pub(super) fn new(shared: Arc<Shared>, opener: Opener) -> Self {
        Self {
            shared,
            opener,
            encoder: None,
            generation: None,
            current: None,
            pending: false,
            untried: false,
            key_wanted: true,
            encoded_rows: Vec::new(),
            scroll: ScrollFinder::default(),
            ladder: Ladder::default(),
            bits_per_second: 0,
            started_us: None,
            refine_at_us: None,
            refinements: 0,
            refine_skips: 0,
            skipped_until_us: 0,
            failures: 0,
            retry_at_us: 0,
            told: None,
        }
    }

    pub(super) fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        let mut state = shared.lock();
        while !state.closing {
            state.poked = false;
            let streaming = state.streaming;
            self.take(&mut state);
            if !state.stills.is_empty() {
                let stills = std::mem::take(&mut state.stills);
                drop(state);
                self.serve(stills);
                state = shared.lock();
                continue;
            }
            let job = self.job(streaming, shared.clock.now_us());
            if let Job::Wait(deadline) = job {
                state.encode_waits = true;
                state = shared.wait(&shared.to_encode, state, deadline);
                state.encode_waits = false;
                continue;
            }
            drop(state);
            match job {
                Job::Open => {
                    self.open();
                }
                Job::Encode { key } => self.encode(key, false),
                Job::Refine => self.encode(false, true),
                Job::Wait(_) => {}
            }
            state = shared.lock();
        }
        state.stills.clear();
        drop(state);
        self.throw_away();
    }

    /// Takes the slot's frame and the orders.
    fn take(&mut self, state: &mut State) {
        if let Some(posted) = state.slot.take() {
            if self.untried && state.streaming {
                add(&self.shared.counters.frames_replaced, 1);
            }
            if let Some(old) = self.current.replace(posted) {
                state.spare.push(old.frame);
                self.shared.to_convert.notify_one();
            }
            (self.pending, self.untried) = (true, true);
            self.skipped_until_us = 0;
            (self.refinements, self.refine_skips) = (0, 0);
        }
        self.key_wanted |= std::mem::take(&mut state.key_wanted);
        if self.bits_per_second != state.bits_per_second {
            self.bits_per_second = state.bits_per_second;
            if let Some(encoder) = &mut self.encoder {
                encoder.set_bitrate(self.bits_per_second);
            }
        }
    }

    /// Copies the newest picture for those who asked; without the lock, for a copy takes a while.
    fn serve(&self, stills: Vec<SyncSender<Option<Copied>>>) {
        for still in stills {
            let copied = self.current.as_ref().map(|posted| Copied {
                picture: posted.frame.picture.clone(),
                layout: posted.notice.layout,
                generation: posted.notice.generation,
            });
            // A caller that no longer waits is no fault.
            let _ = still.try_send(copied);
        }
    }

    fn job(&self, streaming: bool, now_us: u64) -> Job {
        let Some(current) = &self.current else {
            return Job::Wait(None);
        };
        let ready = self.encoder.is_some() && self.generation == Some(current.notice.generation);
        if !ready && now_us < self.retry_at_us {
            return Job::Wait(Some(self.retry_at_us));
        }
        if !streaming {
            return if ready { Job::Wait(None) } else { Job::Open };
        }
        if !self.shared.outlet.room() {
            return Job::Wait(None);
        }
        if (self.key_wanted || !ready) && now_us >= self.skipped_until_us {
            return Job::Encode { key: true };
        }
        if self.pending || self.key_wanted {
            let next_us = self
                .started_us
                .map_or(0, |at| at + self.ladder.gap_us())
                .max(self.skipped_until_us);
            return if now_us < next_us {
                Job::Wait(Some(next_us))
            } else {
                Job::Encode { key: false }
            };
        }
        let refinable = self.refinements < REFINEMENTS
            && self.refine_skips < REFINE_SKIPS
            && self.encoder.as_ref().is_some_and(|e| e.wants_refinement());
        match self.refine_at_us {
            Some(at) if refinable && now_us >= at => Job::Refine,
            Some(at) if refinable => Job::Wait(Some(at)),
            _ => Job::Wait(None),
        }
    }

    /// An encoder of the current picture's size and generation; false when there is none.
    fn open(&mut self) -> bool {
        let Some(current) = &self.current else {
            return false;
        };
        let generation = current.notice.generation;
        let (width, height) = (
            current.frame.picture.width(),
            current.frame.picture.height(),
        );
        self.throw_away();
        let opener = &mut self.opener;
        let bits = self.bits_per_second;
        let opened = catch_unwind(AssertUnwindSafe(|| opener(width, height, bits)))
            .unwrap_or_else(|_| Err(CodecError::Open("it failed inside".to_owned())));
        match opened {
            Ok(mut encoder) => {
                encoder.set_load_step(self.ladder.encoder_step());
                let said = (encoder.name().to_owned(), encoder.version().to_owned());
                let known = self.shared.lock().encoder.replace(said.clone());
                if known.as_ref() != Some(&said) {
                    self.shared.outlet.event(Event::Encoder {
                        name: said.0,
                        version: said.1,
                    });
                }
                self.encoder = Some(encoder);
                self.generation = Some(generation);
                self.key_wanted = true;
                true
            }
            Err(error) => {
                self.failed(error.to_string());
                false
            }
        }
    }

    fn encode(&mut self, key: bool, refine: bool) {
        let generation = self
            .current
            .as_ref()
            .map(|current| current.notice.generation);
        if (self.encoder.is_none() || self.generation != generation) && !self.open() {
            return;
        }
        let (Some(encoder), Some(current)) = (&mut self.encoder, &self.current) else {
            return;
        };
        let key = key || self.key_wanted;
        let fresh = std::mem::take(&mut self.pending);
        let first_try = std::mem::take(&mut self.untried);
        let rows = current.frame.rows();
        let dirty = if fresh {
            dirty_fraction(&self.encoded_rows, rows)
        } else {
            0.0
        };
        let scroll = if fresh && !key {
            self.scroll.find(&self.encoded_rows, rows)
        } else {
            None
        };
        let started_us = self.shared.clock.now_us();
        let arrival_us = if first_try {
            current.notice.arrival_us
        } else {
            started_us
        };
        let ask = Ask {
            key,
            refine,
            scroll,
            dirty,
            unchanged: Bands::unchanged(&self.encoded_rows, rows),
            arrival_us,
        };
        let picture = &current.frame.picture;
        let encoded = catch_unwind(AssertUnwindSafe(|| encoder.encode(picture, ask)))
            .unwrap_or_else(|_| Err(CodecError::Encode("it failed inside".to_owned())));
        let now_us = self.shared.clock.now_us();
        if first_try {
            self.started_us = Some(started_us);
        }
        match encoded {
            Ok(Encoded::Unit(unit)) => {
                self.failures = 0;
                self.told = None;
                self.encoded_rows.clear();
                self.encoded_rows.extend_from_slice(rows);
                let interval_us = current.interval_us;
                self.schedule_refinement(fresh, refine, now_us);
                if first_try {
                    self.climb(now_us - started_us, interval_us, now_us);
                }
                self.hand_over(unit, refine, now_us);
            }
            Ok(Encoded::Skipped) => {
                add(&self.shared.counters.frames_skipped, u64::from(first_try));
                // The last picture of a motion must not stay unseen.
                self.pending = !refine;
                self.refine_skips += u32::from(refine);
                self.skipped_until_us = now_us + SKIP_RETRY_US;
                self.refine_at_us = Some(now_us + REFINE_AFTER_US);
            }
            Err(error) => {
                self.pending |= fresh;
                self.failed(error.to_string());
            }
        }
    }

    fn schedule_refinement(&mut self, fresh: bool, refine: bool, now_us: u64) {
        if refine {
            self.refinements += 1;
            self.refine_at_us = Some(now_us + REFINE_AGAIN_US);
            return;
        }
        (self.refinements, self.refine_skips) = (0, 0);
        let still_since = self
            .current
            .as_ref()
            .filter(|_| fresh)
            .map_or(now_us, |current| current.notice.arrival_us);
        self.refine_at_us = Some(still_since + REFINE_AFTER_US);
    }

    fn climb(&mut self, encode_us: u64, interval_us: u64, now_us: u64) {
        if self.ladder.encoded(encode_us, interval_us, now_us) {
            if let Some(encoder) = &mut self.encoder {
                encoder.set_load_step(self.ladder.encoder_step());
            }
            self.shared
                .counters
                .load_step
                .store(u64::from(self.ladder.step()), Ordering::Relaxed);
        }
    }

    fn hand_over(&mut self, unit: Unit, refinement: bool, encoded_us: u64) {
        let Some(current) = &self.current else {
            return;
        };
        let (key, bytes) = (unit.key, unit.data.len() as u64);
        let stamps = Stamps {
            capture_us: current.notice.capture_us,
            converted_us: current.converted_us,
            encoded_us,
        };
        let stamped = Stamped {
            unit,
            generation: current.notice.generation,
            width: current.notice.layout.width,
            height: current.notice.layout.height,
            refinement,
            stamps,
        };
        let counters = &self.shared.counters;
        if self.shared.outlet.unit(stamped).is_err() {
            add(&counters.units_dropped, 1);
            // A delta was lost: nothing but a key frame may follow, of whatever is newest then.
            self.key_wanted = true;
            return;
        }
        if key {
            self.key_wanted = false;
            add(&counters.key_frames, 1);
        }
        add(&counters.units_out, 1);
        add(&counters.bytes_out, bytes);
        add(&counters.refinements, u64::from(refinement));
    }

    fn failed(&mut self, words: String) {
        if self.encoder.is_some() {
            add(&self.shared.counters.encoder_restarts, 1);
        }
        self.throw_away();
        self.shared.lock().encoder = None;
        self.key_wanted = true;
        let wait = BACK_OFF_US[self.failures.min(BACK_OFF_US.len() - 1)];
        self.failures += 1;
        self.retry_at_us = self.shared.clock.now_us() + wait;
        if self.told.as_ref() != Some(&words) {
            self.told = Some(words.clone());
            self.shared.outlet.event(Event::EncoderFailed { words });
        }
    }

    /// Closes the encoder; one that fails while it closes is no more than gone.
    fn throw_away(&mut self) {
        if let Some(encoder) = self.encoder.take() {
            let _ = catch_unwind(AssertUnwindSafe(|| drop(encoder)));
        }
        self.encoded_rows.clear();
        self.skipped_until_us = 0;
    }
}
