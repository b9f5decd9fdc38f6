//! What the two threads share: the newest notice, the one slot, the spare frames, orders.

use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::Clock;
use super::report::{Counters, Outlet};
use crate::frames::{Frame, Layout, Picture, Region};

/// Stills that may wait at once; more are refused in words.
pub(super) const STILLS: usize = 8;

/// A frame is whole, in the region or in the inbox.
#[derive(Debug, Clone, Copy)]
pub(super) struct Notice {
    pub(super) layout: Layout,
    pub(super) generation: u32,
    pub(super) seq: u64,
    pub(super) capture_us: u64,
    pub(super) arrival_us: u64,
    pub(super) pushed: bool,
}

/// A converted frame on its way to the encoder.
pub(super) struct Posted {
    pub(super) frame: Frame,
    pub(super) notice: Notice,
    pub(super) converted_us: u64,
    /// Since the changed frame before it arrived.
    pub(super) interval_us: u64,
}

/// The newest picture, for a still.
pub(super) struct Copied {
    pub(super) picture: Picture,
    pub(super) layout: Layout,
    pub(super) generation: u32,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) region: Option<Arc<Region>>,
    pub(super) notice: Option<Notice>,
    /// The last notice about the region, taken or not: what a screenshot reads by.
    pub(super) latest: Option<Notice>,
    /// Notices so far; a screenshot waits for the next.
    pub(super) notices: u64,
    pub(super) inbox: Vec<u8>,
    pub(super) slot: Option<Posted>,
    /// With the slot's, the converter's and the encoder's never more than two in all.
    pub(super) spare: Vec<Frame>,
    pub(super) streaming: bool,
    pub(super) key_wanted: bool,
    pub(super) bits_per_second: u32,
    pub(super) stills: Vec<SyncSender<Option<Copied>>>,
    pub(super) encoder: Option<(String, String)>,
    /// The encoder's thread is to look again.
    pub(super) poked: bool,
    /// Each thread is waiting, and has nothing to do unless something came since.
    pub(super) convert_waits: bool,
    pub(super) encode_waits: bool,
    pub(super) closing: bool,
}

pub(super) struct Shared {
    state: Mutex<State>,
    pub(super) to_convert: Condvar,
    pub(super) to_encode: Condvar,
    pub(super) noticed: Condvar,
    pub(super) counters: Counters,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) outlet: Arc<dyn Outlet>,
}

impl Shared {
    pub(super) fn new(
        bits_per_second: u32,
        clock: Arc<dyn Clock>,
        outlet: Arc<dyn Outlet>,
    ) -> Self {
        let spare = vec![Frame::default(), Frame::default()];
        Self {
            state: Mutex::new(State {
                spare,
                bits_per_second,
                ..State::default()
            }),
            to_convert: Condvar::new(),
            to_encode: Condvar::new(),
            noticed: Condvar::new(),
            counters: Counters::default(),
            clock,
            outlet,
        }
    }

    /// The state. A thread that panicked left it whole: every change to it is a plain move.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the encoder's thread look again. Under the lock: a thread about to wait does not miss it.
    pub(super) fn poke(&self) {
        self.lock().poked = true;
        self.to_encode.notify_all();
    }

    /// Waits to be woken, or for a moment of the clock.
    pub(super) fn wait<'a>(
        &self,
        condition: &Condvar,
        state: MutexGuard<'a, State>,
        deadline_us: Option<u64>,
    ) -> MutexGuard<'a, State> {
        match deadline_us.and_then(|deadline| self.clock.wait_for(deadline)) {
            Some(time) => {
                condition
                    .wait_timeout(state, time)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
            None => condition
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner),
        }
    }
}
