//! x264, where the machine has it.

mod library;

use std::ffi::c_int;

use self::library::{Api, Handle, RawPicture, TYPE_AUTO, TYPE_IDR};
use super::{Ask, CodecError, Config, Encoded, Encoder, Tuning, Unit};
use crate::frames::Picture;

/// The rate that the stream declares and that x264's own rate control counts by; real time is ours to keep.
const DECLARED_FPS: u32 = 32;

/// An x264 encoder of one size.
pub struct X264 {
    handle: Handle,
    version: String,
    width: usize,
    height: usize,
    pts: i64,
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
        Ok(Self {
            handle: api.open(&mut param)?,
            version: format!("0.{}", api.build),
            width: config.width,
            height: config.height,
            pts: 0,
        })
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
        super::check_size(picture, self.width, self.height)?;
        let (y, u, v) = picture.planes();
        let mut raw = RawPicture::empty();
        raw.kind = if ask.key { TYPE_IDR } else { TYPE_AUTO };
        raw.pts = self.pts;
        let stride = c_int::try_from(self.width).unwrap_or(c_int::MAX);
        raw.image.stride = [stride, stride / 2, stride / 2, 0];
        raw.image.plane[..3].copy_from_slice(&[y, u, v].map(|plane| plane.as_ptr().cast_mut()));
        self.pts += 1;
        let (data, key) = self.handle.encode(&mut raw)?;
        Ok(Encoded::Unit(Unit { data, key }))
    }

    fn set_bitrate(&mut self, bits_per_second: u32) {
        // A refused change keeps the old rate: the stream goes on, which is worth more than the change.
        let _ = self.handle.reconfigure(&average_rate(bits_per_second));
    }

    fn set_load_step(&mut self, _step: u8) {}

    fn wants_refinement(&self) -> bool {
        false
    }
}
