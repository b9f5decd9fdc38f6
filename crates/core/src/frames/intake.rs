//! One pass over a frame: copy a strip out of the region, hash its rows, convert those that differ.

use super::convert::{Converter, Pair, SLACK};
use super::{Level, Picture, Region, RegionError, RowHasher};

/// Bytes of a strip: small enough to stay in the first-level cache between copy, hash and convert.
const STRIP: usize = 16 << 10;
/// The widest or tallest screen, in pixels; keeps a wrong number from taking the machine's memory.
pub const MAX_EDGE: u32 = 16_384;
/// The most pixels of a frame: 8K.
const MAX_PIXELS: u64 = 8192 * 4608;

/// How pixels lie in memory, rows packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PixelFormat {
    /// Red, green, blue.
    Rgb888,
    /// Red, green, blue and a byte that is ignored.
    Rgba8888,
}

impl PixelFormat {
    /// Bytes of one pixel.
    #[must_use]
    pub fn bytes_per_pixel(self) -> usize {
        match self {
            Self::Rgb888 => 3,
            Self::Rgba8888 => 4,
        }
    }
}

/// A frame's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// The pixels' order of bytes.
    pub format: PixelFormat,
    /// The first row in memory is the lowest on the screen.
    pub bottom_up: bool,
}

impl Layout {
    /// Bytes of one row.
    #[must_use]
    pub fn row_bytes(&self) -> usize {
        self.width as usize * self.format.bytes_per_pixel()
    }

    /// Bytes of the frame.
    ///
    /// # Errors
    /// [`FrameError::Size`] when it is empty or beyond every screen.
    pub fn bytes(&self) -> Result<usize, FrameError> {
        let pixels = u64::from(self.width) * u64::from(self.height);
        if pixels == 0 || self.width > MAX_EDGE || self.height > MAX_EDGE || pixels > MAX_PIXELS {
            return Err(FrameError::Size {
                width: self.width,
                height: self.height,
            });
        }
        Ok(self.row_bytes() * self.height as usize)
    }

    /// Where a row of the screen lies in memory, counted in rows.
    fn memory_row(&self, row: usize) -> usize {
        if self.bottom_up {
            self.height as usize - 1 - row
        } else {
            row
        }
    }
}

/// What is wrong with a frame, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// No pixels or too many.
    #[error("a frame of {width}x{height} pixels makes no sense")]
    Size {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// The region is too small, or shrank.
    #[error(transparent)]
    Region(#[from] RegionError),
    /// Bytes in hand that are fewer than the frame needs.
    #[error("a frame of {width}x{height} pixels needs {need} bytes, not {have}")]
    Bytes {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
        /// Bytes that the shape needs.
        need: usize,
        /// Bytes given.
        have: usize,
    },
}

/// Where a frame's bytes are.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// In the region, from its start; another process may write it.
    Region(&'a Region),
    /// In hand.
    Bytes(&'a [u8]),
}

impl Source<'_> {
    /// Copies bytes out; the range was checked against the frame's size before.
    fn read(&self, offset: usize, to: &mut [u8]) -> Result<(), RegionError> {
        match self {
            Self::Region(region) => region.read(offset, to),
            Self::Bytes(bytes) => {
                to.copy_from_slice(&bytes[offset..offset + to.len()]);
                Ok(())
            }
        }
    }

    fn prefetch(&self, offset: usize, bytes: usize) {
        if let Self::Region(region) = self {
            region.prefetch(offset, bytes);
        }
    }

    fn check(&self) -> Result<(), RegionError> {
        match self {
            Self::Region(region) => region.check(),
            Self::Bytes(_) => Ok(()),
        }
    }
}

/// A picture and the hashes of the device's rows that it was converted from. Used again and again:
/// only rows that differ from what it holds are converted.
#[derive(Clone)]
pub struct Frame {
    /// The picture.
    pub picture: Picture,
    rows: Vec<u64>,
    layout: Option<Layout>,
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            picture: Picture::new(0, 0),
            rows: Vec::new(),
            layout: None,
        }
    }
}

impl Frame {
    /// One hash for each row of the device's screen, top first.
    #[must_use]
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// The shape it was read in; `None` before the first frame.
    #[must_use]
    pub fn layout(&self) -> Option<Layout> {
        self.layout
    }

    fn shape(&mut self, layout: Layout) {
        if self.layout != Some(layout) {
            self.picture
                .reset(layout.width as usize, layout.height as usize);
            self.rows.clear();
            self.layout = Some(layout);
        }
    }
}

/// What a pass found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Differs from the frame of the pass before.
    pub changed: bool,
    /// Rows that differ from it.
    pub dirty_rows: usize,
}

/// Reads frames; remembers the newest one's row hashes.
#[derive(Debug)]
pub struct Intake {
    level: Level,
    hasher: RowHasher,
    strip: Vec<u8>,
    newest: Vec<u64>,
    layout: Option<Layout>,
}

impl Intake {
    /// At one level, with hashes of its own.
    #[must_use]
    pub fn new(level: Level) -> Self {
        Self {
            level,
            hasher: RowHasher::keyed(level),
            strip: Vec::new(),
            newest: Vec::new(),
            layout: None,
        }
    }

    /// Makes the next frame count as changed, whatever it shows.
    pub fn forget(&mut self) {
        self.layout = None;
    }

    /// Reads a frame into `frame`, whatever that held before.
    ///
    /// # Errors
    /// In words; `frame` then holds nothing that may be shown. After an error within the pass the next frame counts
    /// as changed.
    pub fn read(
        &mut self,
        source: Source<'_>,
        layout: Layout,
        frame: &mut Frame,
    ) -> Result<Seen, FrameError> {
        let seen = self.pass(source, layout, frame);
        if seen.is_err() {
            frame.layout = None;
        }
        seen
    }

    fn pass(
        &mut self,
        source: Source<'_>,
        layout: Layout,
        frame: &mut Frame,
    ) -> Result<Seen, FrameError> {
        let need = layout.bytes()?;
        if let Source::Bytes(bytes) = source
            && bytes.len() < need
        {
            let Layout { width, height, .. } = layout;
            return Err(FrameError::Bytes {
                width,
                height,
                need,
                have: bytes.len(),
            });
        }
        if let Source::Region(region) = source
            && region.len() < need
        {
            return Err(RegionError::DoesNotFit {
                need,
                have: region.len(),
            }
            .into());
        }
        source.check()?;
        let height = layout.height as usize;
        let known = frame.layout == Some(layout);
        frame.shape(layout);
        frame.rows.resize(height, 0);
        let comparable = self.layout == Some(layout);
        self.newest.resize(height, 0);

        let row_bytes = layout.row_bytes();
        let strip_rows = (STRIP / row_bytes).next_multiple_of(2).max(2);
        self.strip.resize(strip_rows * row_bytes + SLACK, 0);
        let converter = Converter::new(layout.format.bytes_per_pixel(), self.level);
        let mut dirty_rows = 0;
        for start in (0..height).step_by(strip_rows) {
            let rows = strip_rows.min(height - start);
            // Rows of a strip lie together in memory in either direction; only their order differs.
            let lowest = layout
                .memory_row(start)
                .min(layout.memory_row(start + rows - 1));
            source.read(lowest * row_bytes, &mut self.strip[..rows * row_bytes])?;
            for row in (start..start + rows).step_by(2) {
                let below = (row + 1).min(height - 1);
                let ahead = row + strip_rows;
                if ahead + 1 < height {
                    // While this pair is converted, the pair one strip on comes from memory.
                    let first = layout.memory_row(ahead).min(layout.memory_row(ahead + 1));
                    source.prefetch(first * row_bytes, 2 * row_bytes);
                }
                let offset = |row: usize| (layout.memory_row(row) - lowest) * row_bytes;
                let (top, bottom) = (offset(row), offset(below));
                let hash = |at: usize| self.hasher.hash(&self.strip[at..at + row_bytes]);
                let hashes = [hash(top), if below == row { 0 } else { hash(bottom) }];
                let count = below - row + 1;
                let same = known && frame.rows[row..=below] == hashes[..count];
                let like_above = count == 2 && row >= 2 && frame.rows[row - 2..row] == hashes;
                if !same && like_above {
                    frame.rows[row..=below].copy_from_slice(&hashes);
                    repeat_pair(row, &mut frame.picture);
                } else if !same {
                    frame.rows[row..=below].copy_from_slice(&hashes[..count]);
                    let (top, bottom) = (&self.strip[top..], &self.strip[bottom..]);
                    convert_pair(
                        converter,
                        layout.width as usize,
                        row,
                        top,
                        bottom,
                        &mut frame.picture,
                    );
                }
                for (newest, hash) in self.newest[row..=below].iter_mut().zip(hashes) {
                    dirty_rows += usize::from(!comparable || *newest != hash);
                    // Written at once: a failed pass forgets the layout below.
                    *newest = hash;
                }
            }
            // Until the pass is whole, what `newest` holds compares with nothing.
            self.layout = None;
        }
        source.check()?;
        self.layout = Some(layout);
        Ok(Seen {
            changed: dirty_rows > 0,
            dirty_rows,
        })
    }
}

/// Gives two rows what the two above them hold: plain backgrounds are most of a page, and a copy costs less.
fn repeat_pair(row: usize, picture: &mut Picture) {
    let wide = picture.width();
    let (y, u, v) = picture.planes_mut();
    y.copy_within((row - 2) * wide..row * wide, row * wide);
    let (half, line) = (wide / 2, row / 2);
    for chroma in [u, v] {
        chroma.copy_within((line - 1) * half..line * half, line * half);
    }
}

fn convert_pair(
    converter: Converter,
    width: usize,
    row: usize,
    top: &[u8],
    bottom: &[u8],
    picture: &mut Picture,
) {
    let wide = picture.width();
    let (y, u, v) = picture.planes_mut();
    let (first, second) = y[row * wide..(row + 2) * wide].split_at_mut(wide);
    let chroma = row / 2 * (wide / 2)..(row / 2 + 1) * (wide / 2);
    let (cb, cr) = (&mut u[chroma.clone()], &mut v[chroma]);
    converter.pair(Pair {
        width,
        top,
        bottom,
        luma: [first, second],
        cb,
        cr,
    });
}
