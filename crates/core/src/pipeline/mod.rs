//! The two threads between a device's frames and its viewers.
//!
//! One copies and converts on notice, one encodes; between them is a slot for one picture, where the
//! newest wins. At most two pictures are alive and a frame costs no allocation. All time comes from a
//! [`Clock`].

mod clock;
mod convert;
mod ladder;
mod report;
mod shared;
mod stage;
mod still;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

pub use clock::{Clock, ManualClock, SystemClock};
pub use ladder::{ENCODER_STEPS, HALF_RATE, Ladder};
pub use report::{Event, Full, Outlet, Stamped, Stamps, Stats};
pub use stage::Opener;
pub use still::{RgbStill, StillError, Stills, YuvStill};

use crate::frames::{FrameError, Layout, Region, RegionError};
use report::add;
use shared::{Notice, Shared};

/// A frame that is whole, as its device tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameNotice {
    /// Its shape.
    pub layout: Layout,
    /// A generation other than the last opens a new stream with a key frame.
    pub generation: u32,
    /// The device's own counter.
    pub seq: u64,
    /// When the device posted it, CLOCK_MONOTONIC microseconds.
    pub capture_us: u64,
}

/// From notices to units. Dropping it ends and joins its threads.
pub struct Pipeline {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Pipeline {
    /// Starts the threads. Nothing is encoded before [`Pipeline::streaming`].
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        bits_per_second: u32,
        opener: Opener,
        clock: Arc<dyn Clock>,
        outlet: Arc<dyn Outlet>,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::new(bits_per_second, clock, outlet));
        let mut pipeline = Self {
            shared: Arc::clone(&shared),
            threads: Vec::with_capacity(2),
        };
        let convert = convert::ConvertThread::new(Arc::clone(&shared));
        let encode = stage::EncodeThread::new(shared, opener);
        let named = |name: &str| std::thread::Builder::new().name(name.to_owned());
        pipeline
            .threads
            .push(named("device-convert").spawn(move || convert.run())?);
        pipeline
            .threads
            .push(named("device-encode").spawn(move || encode.run())?);
        Ok(pipeline)
    }

    /// Makes the region that the device writes into; an older one is removed.
    ///
    /// # Errors
    /// In words; see [`Region::create`].
    pub fn create_region(&self, path: &Path, bytes: usize) -> Result<(), RegionError> {
        let mut state = self.shared.lock();
        if let Some(old) = state.region.take() {
            old.remove();
        }
        state.latest = None;
        state.region = Some(Arc::new(Region::create(path, bytes)?));
        Ok(())
    }

    /// A frame is whole in the region.
    ///
    /// # Errors
    /// In words, when it does not fit the region or makes no sense.
    pub fn notify(&self, frame: FrameNotice) -> Result<(), FrameError> {
        let need = frame.layout.bytes()?;
        let mut state = self.shared.lock();
        let have = state.region.as_ref().map_or(0, |region| region.len());
        if have < need {
            return Err(RegionError::DoesNotFit { need, have }.into());
        }
        let notice = self.arrived(frame, false);
        state.latest = Some(notice);
        state.notices += 1;
        self.shared.noticed.notify_all();
        self.hand_in(&mut state, notice);
        Ok(())
    }

    /// A frame in hand; copied before this returns.
    ///
    /// # Errors
    /// In words, when there are too few bytes or the frame makes no sense.
    pub fn push(&self, frame: FrameNotice, pixels: &[u8]) -> Result<(), FrameError> {
        let need = frame.layout.bytes()?;
        let Some(pixels) = pixels.get(..need) else {
            let Layout { width, height, .. } = frame.layout;
            return Err(FrameError::Bytes {
                width,
                height,
                need,
                have: pixels.len(),
            });
        };
        let mut state = self.shared.lock();
        state.inbox.clear();
        state.inbox.extend_from_slice(pixels);
        let notice = self.arrived(frame, true);
        self.hand_in(&mut state, notice);
        Ok(())
    }

    fn arrived(&self, frame: FrameNotice, pushed: bool) -> Notice {
        let FrameNotice {
            layout,
            generation,
            seq,
            capture_us,
        } = frame;
        Notice {
            layout,
            generation,
            seq,
            capture_us,
            arrival_us: self.shared.clock.now_us(),
            pushed,
        }
    }

    fn hand_in(&self, state: &mut shared::State, notice: Notice) {
        add(&self.shared.counters.frames_in, 1);
        if state.notice.replace(notice).is_some() {
            add(&self.shared.counters.frames_replaced, 1);
        }
        self.shared.to_convert.notify_one();
    }

    /// The next unit is an IDR with SPS and PPS, at once, on a still screen too.
    pub fn keyframe(&self) {
        self.shared.lock().key_wanted = true;
        self.wake();
    }

    /// Off: nothing is encoded, and change detection goes on. On: the newest picture comes as a key frame.
    pub fn streaming(&self, on: bool) {
        let mut state = self.shared.lock();
        state.key_wanted |= on && !state.streaming;
        state.streaming = on;
        drop(state);
        self.wake();
    }

    /// Bits a second from the next picture on.
    pub fn set_bitrate(&self, bits_per_second: u32) {
        self.shared.lock().bits_per_second = bits_per_second;
        self.wake();
    }

    /// Lets the encoder's thread look again: the outlet has room, or a test's clock moved.
    pub fn wake(&self) {
        self.shared.poke();
    }

    /// Has neither thread anything to do before a frame, an order or a moment of the clock comes?
    #[must_use]
    pub fn idle(&self) -> bool {
        let state = self.shared.lock();
        let waiting = state.notice.is_some() || state.slot.is_some() || !state.stills.is_empty();
        !waiting && !state.poked && state.convert_waits && state.encode_waits
    }

    /// Name and version of the open encoder.
    #[must_use]
    pub fn encoder(&self) -> Option<(String, String)> {
        self.shared.lock().encoder.clone()
    }

    /// Counters since the start.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.shared.counters.read()
    }

    /// A handle that makes stills on other threads.
    #[must_use]
    pub fn stills(&self) -> Stills {
        Stills::new(Arc::clone(&self.shared))
    }

    /// Wakes the encoder's thread from anywhere.
    #[must_use]
    pub fn waker(&self) -> Waker {
        Waker(Arc::downgrade(&self.shared))
    }

    /// Ends and joins the threads, closes the encoder, removes the region's file. A second call does nothing.
    pub fn close(&mut self) {
        let mut state = self.shared.lock();
        state.closing = true;
        state.notice = None;
        let region = state.region.take();
        drop(state);
        self.shared.to_convert.notify_all();
        self.shared.to_encode.notify_all();
        self.shared.noticed.notify_all();
        for thread in self.threads.drain(..) {
            // A thread that panicked has ended, which is all that is asked here.
            let _ = thread.join();
        }
        if let Some(region) = region {
            region.remove();
        }
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        self.close();
    }
}

/// Wakes a pipeline's encoder thread; does nothing once the pipeline is gone.
#[derive(Clone)]
pub struct Waker(std::sync::Weak<Shared>);

impl Waker {
    /// See [`Pipeline::wake`].
    pub fn wake(&self) {
        if let Some(shared) = self.0.upgrade() {
            shared.poke();
        }
    }
}
