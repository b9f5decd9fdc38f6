//! The thread that reads frames on notice, drops the unchanged and posts the others to the slot.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::report::{Event, add};
use super::shared::{Notice, Posted, Shared};
use crate::frames::{Frame, FrameError, Intake, Level, Region, RegionError, Seen, Source};

pub(super) struct ConvertThread {
    shared: Arc<Shared>,
    intake: Intake,
    inbox: Vec<u8>,
    generation: Option<u32>,
    changed_us: u64,
    /// The last words about the region, so that a lasting fault is told once.
    told: Option<String>,
}

impl ConvertThread {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let intake = Intake::new(Level::best());
        Self {
            shared,
            intake,
            inbox: Vec::new(),
            generation: None,
            changed_us: 0,
            told: None,
        }
    }

    pub(super) fn run(mut self) {
        while let Some((notice, region, frame)) = self.next() {
            let mut frame = frame;
            let read = catch_unwind(AssertUnwindSafe(|| {
                self.read(notice, region.as_deref(), &mut frame.frame)
            }));
            match read {
                Ok(Ok(seen)) => self.post(notice, frame, seen),
                Ok(Err(error)) => self.failed(frame, error.to_string()),
                Err(_) => {
                    self.intake = Intake::new(Level::best());
                    frame.frame = Frame::default();
                    self.failed(
                        frame,
                        "reading a frame failed inside; the next one is tried".to_owned(),
                    );
                }
            }
        }
    }

    /// Waits for a notice and a frame to read into: a spare one, else the slot's, which is then replaced.
    fn next(&mut self) -> Option<(Notice, Option<Arc<Region>>, Taken)> {
        let shared = Arc::clone(&self.shared);
        let mut state = shared.lock();
        loop {
            if state.closing {
                return None;
            }
            if state.notice.is_some() {
                let taken = match state.spare.pop() {
                    Some(frame) => Some(Taken {
                        frame,
                        waiting: None,
                    }),
                    None => state.slot.take().map(|posted| {
                        let Posted {
                            frame,
                            notice,
                            converted_us,
                            interval_us,
                        } = posted;
                        Taken {
                            frame,
                            waiting: Some((notice, converted_us, interval_us)),
                        }
                    }),
                };
                if let (Some(taken), Some(notice)) = (taken, state.notice.take()) {
                    if notice.pushed {
                        std::mem::swap(&mut state.inbox, &mut self.inbox);
                    }
                    return Some((notice, state.region.clone(), taken));
                }
            }
            state.convert_waits = true;
            state = shared.wait(&shared.to_convert, state, None);
            state.convert_waits = false;
        }
    }

    fn read(
        &mut self,
        notice: Notice,
        region: Option<&Region>,
        frame: &mut Frame,
    ) -> Result<Seen, FrameError> {
        let source = if notice.pushed {
            Source::Bytes(&self.inbox)
        } else {
            let need = notice.layout.bytes()?;
            Source::Region(region.ok_or(RegionError::DoesNotFit { need, have: 0 })?)
        };
        self.intake.read(source, notice.layout, frame)
    }

    fn post(&mut self, notice: Notice, taken: Taken, seen: Seen) {
        self.told = None;
        let shared = Arc::clone(&self.shared);
        let changed = seen.changed || self.generation != Some(notice.generation);
        let mut state = shared.lock();
        if !changed {
            add(&shared.counters.frames_unchanged, 1);
            // A frame taken from the slot holds the same picture as before: it still waits.
            match taken.waiting {
                Some((notice, converted_us, interval_us)) => {
                    state.slot = Some(Posted {
                        frame: taken.frame,
                        notice,
                        converted_us,
                        interval_us,
                    });
                    shared.to_encode.notify_one();
                }
                None => state.spare.push(taken.frame),
            }
            return;
        }
        if taken.waiting.is_some() {
            add(&shared.counters.frames_replaced, 1);
        }
        let interval_us = notice.arrival_us.saturating_sub(self.changed_us);
        self.changed_us = notice.arrival_us;
        self.generation = Some(notice.generation);
        let converted_us = shared.clock.now_us();
        let posted = Posted {
            frame: taken.frame,
            notice,
            converted_us,
            interval_us,
        };
        if let Some(old) = state.slot.replace(posted) {
            add(&shared.counters.frames_replaced, 1);
            state.spare.push(old.frame);
        }
        shared.to_encode.notify_one();
        drop(state);
        shared.outlet.event(Event::Changed {
            at_us: notice.arrival_us,
        });
    }

    fn failed(&mut self, taken: Taken, words: String) {
        self.intake.forget();
        self.shared.lock().spare.push(taken.frame);
        if self.told.as_ref() != Some(&words) {
            self.told = Some(words.clone());
            self.shared.outlet.event(Event::RegionFailed { words });
        }
    }
}

/// A frame to read into, and what it is waiting for when it came from the slot.
struct Taken {
    frame: Frame,
    waiting: Option<(Notice, u64, u64)>,
}
