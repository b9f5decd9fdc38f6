//! x264, where the machine has it.

mod layout;
mod library;

use std::ffi::c_int;

use self::layout::{BLOCK_UNCHANGED, RawPicture, TYPE_AUTO, TYPE_IDR, at};
use self::library::{Api, Handle};
use super::rate::{Drive, Rate};
use super::{Ask, CodecError, Config, Encoded, Encoder, Tuning, Unit};
use crate::frames::{BAND, Bands, Picture};

/// The rate that the stream declares and that x264's own rate control counts by; real time is ours to keep.
const DECLARED_FPS: u32 = 32;

/// An x264 encoder of one size.
pub struct X264 {
    core: Core,
    version: String,
    /// Rate control of our own; `None` leaves it to x264.
    drive: Option<Drive>,
}

/// The encoder without its rate control, so that the one can call the other.
struct Core {
    handle: Handle,
    /// A byte for each block of a picture, which x264 reads in the call and keeps a pointer to: its place never changes.
    blocks: Box<[u8]>,
    width: usize,
    height: usize,
    pts: i64,
    search: Search,
    /// A residual too small to matter is thrown away, which saves bits where they are short. Where they are not it is
    /// coded, once: else it is found, measured and thrown away in every picture.
    thrifty: bool,
    /// How far the picture before scrolled, where it did.
    scroll: Option<i32>,
    load_step: u8,
}

/// Above this fraction of changed rows something large moved, in whatever direction, and a far search pays.
const MOVED_ROWS: f32 = 0.25;

/// A scroll whose distance changed by no more than this goes on: what lay near its vectors lies near them still.
const STEADY_ROWS: u32 = 24;

/// How motion is searched: far, where pages scroll or slide (it halves their bits), or near.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Search {
    Near,
    /// This many rows and columns away.
    Far(u32),
    /// As far, for a page that scrolls. What is not found elsewhere is new and mostly text: transforms and predictions
    /// of eight by eight cost time there and save nothing.
    Scroll(u32),
}

impl Search {
    /// `goes_on`: the picture before scrolled about as far. `coarse`: bits are short, and time is not what is.
    fn of(ask: Ask, goes_on: bool, coarse: bool, load_step: u8) -> Self {
        let Some(rows) = ask.scroll.map(i32::unsigned_abs) else {
            let moved = ask.dirty > MOVED_ROWS && load_step == 0;
            return if moved { Self::Far(64) } else { Self::Near };
        };
        match rows {
            _ if load_step > 0 => Self::Near,
            0..=56 => Self::Scroll(64),
            _ if goes_on && !coarse => Self::Scroll(64),
            57..=120 => Self::Scroll(128),
            _ => Self::Scroll(192),
        }
    }
}

/// The settings that follow the content from picture to picture.
fn effort(search: Search, thrifty: bool) -> [(&'static str, String); 5] {
    let (method, rows, partitions, wide) = match search {
        Search::Near => ("dia", 16, "i4x4,i8x8", true),
        Search::Far(rows) => ("umh", rows, "i4x4,i8x8", true),
        Search::Scroll(rows) => ("umh", rows, "i4x4", false),
    };
    let flag = |on: bool| u8::from(on).to_string();
    [
        ("me", method.into()),
        ("merange", rows.to_string()),
        ("partitions", partitions.into()),
        ("8x8dct", flag(wide)),
        ("dct-decimate", flag(thrifty)),
    ]
}

/// The version of the installed libx264.
///
/// # Errors
/// As [`Api::load`].
pub fn version() -> Result<String, CodecError> {
    Api::load().map(|api| format!("0.{}", api.build))
}

impl X264 {
    /// Opens an encoder.
    ///
    /// # Errors
    /// [`CodecError::NoEncoder`] when it is not installed, [`CodecError::UnknownBuild`] or [`CodecError::Open`].
    pub fn open(config: &Config) -> Result<Self, CodecError> {
        let api = Api::load()?;
        let size = |pixels: usize| c_int::try_from(pixels).unwrap_or(c_int::MAX);
        let mut param = api.param(size(config.width), size(config.height), &settings(config))?;
        if config.tuning == Tuning::Screen {
            // No setting has a name for it.
            param.set(at::BLOCK_INFO, 1);
        }
        Ok(Self {
            core: Core {
                handle: api.open(&mut param)?,
                blocks: vec![0; config.width.div_ceil(BAND) * config.height.div_ceil(BAND)].into(),
                width: config.width,
                height: config.height,
                pts: 0,
                search: Search::Near,
                thrifty: false,
                scroll: None,
                load_step: 0,
            },
            version: format!("0.{}", api.build),
            drive: (config.tuning == Tuning::Screen).then(|| Drive::new(config.bits_per_second)),
        })
    }
}

impl Core {
    /// Encodes at a quantizer, or as x264's own rate control likes.
    fn encode_at(
        &mut self,
        picture: &Picture,
        key: bool,
        qp: Option<u8>,
        unchanged: &Bands,
    ) -> Result<Unit, CodecError> {
        for (at, blocks) in self
            .blocks
            .chunks_mut(self.width.div_ceil(BAND))
            .enumerate()
        {
            blocks.fill(if unchanged.has(at) {
                BLOCK_UNCHANGED
            } else {
                0
            });
        }
        let (y, u, v) = picture.planes();
        let mut raw = RawPicture::empty();
        raw.kind = if key { TYPE_IDR } else { TYPE_AUTO };
        raw.qp_plus_one = qp.map_or(0, |qp| c_int::from(qp) + 1);
        raw.pts = self.pts;
        raw.block_info = self.blocks.as_ptr();
        let stride = c_int::try_from(self.width).unwrap_or(c_int::MAX);
        raw.image.stride = [stride, stride / 2, stride / 2, 0];
        raw.image.plane[..3].copy_from_slice(&[y, u, v].map(|plane| plane.as_ptr().cast_mut()));
        self.pts += 1;
        let (data, key) = self.handle.encode(&mut raw)?;
        Ok(Unit { data, key })
    }

    fn search_for(&mut self, ask: Ask, rate: &Rate) {
        let before = std::mem::replace(&mut self.scroll, ask.scroll);
        let goes_on =
            matches!((before, ask.scroll), (Some(a), Some(b)) if a.abs_diff(b) <= STEADY_ROWS);
        let search = Search::of(ask, goes_on, rate.coarse(), self.load_step);
        // On a scroll the same residuals come again wherever the page goes, so time is saved there as long as it may be.
        let thrifty = match search {
            Search::Scroll(_) => rate.coarse(),
            Search::Near | Search::Far(_) => rate.short(),
        };
        if (search, thrifty) == (self.search, self.thrifty) {
            return;
        }
        (self.search, self.thrifty) = (search, thrifty);
        // A refused change only costs time or bits.
        let _ = self.handle.reconfigure(&effort(search, thrifty));
    }
}

fn settings(config: &Config) -> Vec<(&'static str, String)> {
    let threads = config.threads.clamp(1, 4);
    let mut settings: Vec<(&str, String)> = [
        ("annexb", "1"),
        ("repeat-headers", "1"),
        ("keyint", "infinite"),
        ("scenecut", "0"),
        // A constant rate: with a variable one x264 holds every picture back until the next.
        ("force-cfr", "1"),
        ("colorprim", "bt709"),
        ("transfer", "bt709"),
        ("colormatrix", "bt709"),
        ("fullrange", "off"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .into();
    settings.push(("fps", DECLARED_FPS.to_string()));
    settings.push(("threads", threads.to_string()));
    settings.push(("sliced-threads", u8::from(threads > 1).to_string()));
    match config.tuning {
        Tuning::Screen => settings.extend(
            [
                // x264 holds quantizers between those that it would give to an I and to a B picture, even those that it
                // is told picture by picture: these three make that range 10 to 50.
                ("qp", "30"),
                ("ipratio", "10"),
                ("pbratio", "10"),
            ]
            .map(|(name, value)| (name, value.to_owned()))
            .into_iter()
            .chain(effort(Search::Near, false)),
        ),
        Tuning::AbrBaseline => settings.extend(average_rate(config.bits_per_second)),
    }
    settings
}

/// x264's own average bit rate with a buffer of half a second.
fn average_rate(bits_per_second: u32) -> [(&'static str, String); 3] {
    let kilobits = (bits_per_second / 1000).max(1);
    [
        ("bitrate", kilobits.to_string()),
        ("vbv-maxrate", kilobits.to_string()),
        ("vbv-bufsize", (kilobits / 2).max(1).to_string()),
    ]
}

impl Encoder for X264 {
    fn name(&self) -> &str {
        "x264"
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn encode(&mut self, picture: &Picture, ask: Ask) -> Result<Encoded, CodecError> {
        let core = &mut self.core;
        super::check_size(picture, core.width, core.height)?;
        let Some(drive) = &mut self.drive else {
            return core
                .encode_at(picture, ask.key, None, &Bands::default())
                .map(Encoded::Unit);
        };
        core.search_for(ask, &drive.rate);
        drive.encode(picture, ask, |qp, key| {
            core.encode_at(picture, key, Some(qp), &ask.unchanged)
        })
    }

    fn set_bitrate(&mut self, bits_per_second: u32) {
        match &mut self.drive {
            Some(drive) => drive.rate.set_rate(bits_per_second),
            // A refused change keeps the old rate: the stream goes on, which is worth more than the change.
            None => drop(self.core.handle.reconfigure(&average_rate(bits_per_second))),
        }
    }

    fn set_load_step(&mut self, step: u8) {
        self.core.load_step = step;
        if let Some(drive) = &mut self.drive {
            drive.rate.set_load_step(step);
        }
    }

    fn wants_refinement(&self) -> bool {
        self.drive
            .as_ref()
            .is_some_and(|drive| drive.rate.wants_refinement())
    }
}

#[cfg(test)]
mod tests {
    use super::Search;
    use crate::codec::Ask;

    #[test]
    fn the_search_reaches_as_far_as_the_page_moved_and_no_further_than_pays() {
        let scroll = |rows| Ask {
            scroll: Some(rows),
            ..Ask::default()
        };
        let moved = |dirty| Ask {
            dirty,
            ..Ask::default()
        };
        for (ask, goes_on, coarse, load_step, search) in [
            (moved(0.05), false, false, 0, Search::Near),
            (moved(0.9), false, false, 0, Search::Far(64)),
            (scroll(-12), false, false, 0, Search::Scroll(64)),
            (scroll(100), false, false, 0, Search::Scroll(128)),
            (scroll(-180), false, false, 0, Search::Scroll(192)),
            (scroll(180), true, false, 0, Search::Scroll(64)),
            (scroll(180), true, true, 0, Search::Scroll(192)),
            (scroll(180), false, true, 1, Search::Near),
            (moved(0.9), false, false, 1, Search::Near),
        ] {
            assert_eq!(
                Search::of(ask, goes_on, coarse, load_step),
                search,
                "{ask:?}"
            );
        }
    }
}
