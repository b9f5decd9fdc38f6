//! Stills: the newest picture, or the region's own pixels, taken on the caller's thread.

use std::sync::mpsc::sync_channel;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::shared::{Notice, STILLS, Shared};
use crate::frames::{FrameError, Layout, Picture, Region};

/// Reads of the region before a screenshot is given up as torn.
const TRIES: u32 = 3;
/// How long a try waits for the next notice, after which the region is whole.
const NEXT_NOTICE: Duration = Duration::from_millis(50);

/// Why there is no still, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StillError {
    /// Nothing was seen yet.
    #[error("there is no picture yet: the device has not shown one")]
    NoPicture,
    /// The device does not draw into shared memory.
    #[error("there is no shared-memory frame to take a screenshot of")]
    NoRegion,
    /// Too many at once.
    #[error("too many stills are being made at once: ask again in a moment")]
    Busy,
    /// The pipeline ended.
    #[error("the screen's stream is closed")]
    Closed,
    /// The device kept drawing into it.
    #[error(
        "the screen changed during each of {TRIES} tries to read it: ask again when it is calmer"
    )]
    Torn,
    /// The region cannot be read.
    #[error(transparent)]
    Frame(#[from] FrameError),
}

/// The newest picture.
pub struct YuvStill {
    /// The picture, padded to even sizes.
    pub picture: Picture,
    /// The device's size.
    pub layout: Layout,
    /// The geometry generation.
    pub generation: u32,
}

/// The region's pixels.
pub struct RgbStill {
    /// Rows packed as `layout` says.
    pub pixels: Vec<u8>,
    /// Their shape.
    pub layout: Layout,
    /// The geometry generation.
    pub generation: u32,
}

/// Makes stills; may be sent to another thread.
#[derive(Clone)]
pub struct Stills {
    shared: Arc<Shared>,
}

impl Stills {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// The newest picture. Waits for at most one encode.
    ///
    /// # Errors
    /// In words: no picture yet, too many at once, closed.
    pub fn newest(&self) -> Result<YuvStill, StillError> {
        let (sender, receiver) = sync_channel(1);
        let mut state = self.shared.lock();
        if state.closing {
            return Err(StillError::Closed);
        }
        if state.stills.len() >= STILLS {
            return Err(StillError::Busy);
        }
        state.stills.push(sender);
        drop(state);
        self.shared.to_encode.notify_all();
        let copied = receiver
            .recv()
            .map_err(|_| StillError::Closed)?
            .ok_or(StillError::NoPicture)?;
        Ok(YuvStill {
            picture: copied.picture,
            layout: copied.layout,
            generation: copied.generation,
        })
    }

    /// The region's own pixels. Read twice: no notice may come between, and both reads must be alike.
    ///
    /// # Errors
    /// In words: no region, or the device drew into it during each try.
    pub fn region(&self) -> Result<RgbStill, StillError> {
        self.region_while(|| ())
    }

    /// As above; `between` runs between the two reads.
    pub(super) fn region_while(&self, mut between: impl FnMut()) -> Result<RgbStill, StillError> {
        let mut row = Vec::new();
        let mut pixels = Vec::new();
        for attempt in 0..TRIES {
            let (region, notice) = self.latest(attempt > 0)?;
            let need = notice.layout.bytes()?;
            pixels.resize(need, 0);
            region.check().map_err(FrameError::from)?;
            region.read(0, &mut pixels).map_err(FrameError::from)?;
            between();
            let twice = same(&region, notice.layout, &pixels, &mut row)?;
            region.check().map_err(FrameError::from)?;
            if twice && self.still_latest(notice) {
                return Ok(RgbStill {
                    pixels,
                    layout: notice.layout,
                    generation: notice.generation,
                });
            }
        }
        Err(StillError::Torn)
    }

    /// The region and its last notice; `next`: waits for one more notice, but not for long.
    fn latest(&self, next: bool) -> Result<(Arc<Region>, Notice), StillError> {
        let mut state = self.shared.lock();
        if next {
            let seen = state.notices;
            state = self
                .shared
                .noticed
                .wait_timeout_while(state, NEXT_NOTICE, |state| {
                    state.notices == seen && !state.closing
                })
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        if state.closing {
            return Err(StillError::Closed);
        }
        let region = state.region.clone().ok_or(StillError::NoRegion)?;
        let notice = state.latest.ok_or(StillError::NoPicture)?;
        Ok((region, notice))
    }

    fn still_latest(&self, notice: Notice) -> bool {
        let state = self.shared.lock();
        let latest = state
            .latest
            .map(|latest| (latest.seq, latest.generation, latest.layout));
        latest == Some((notice.seq, notice.generation, notice.layout))
    }
}

/// Does the region still hold these pixels?
fn same(
    region: &Region,
    layout: Layout,
    pixels: &[u8],
    row: &mut Vec<u8>,
) -> Result<bool, FrameError> {
    let row_bytes = layout.row_bytes();
    row.resize(row_bytes, 0);
    for (index, known) in pixels.chunks_exact(row_bytes).enumerate() {
        region.read(index * row_bytes, row)?;
        if row.as_slice() != known {
            return Ok(false);
        }
    }
    Ok(true)
}
