//! Values as they cross the border. Numbers from JavaScript are checked here, once.

use device_core::codec::Choice;
use device_core::frames::{Layout, PixelFormat};
use device_core::pipeline::{FrameNotice, Stats};
use napi::bindgen_prelude::{Buffer, Error, Result};
use napi_derive::napi;

/// An error whose message is for a person.
pub fn words(text: impl Into<String>) -> Error {
    Error::from_reason(text.into())
}

/// A whole number from 0 to `most`.
pub fn whole(name: &str, value: f64, most: f64) -> Result<f64> {
    if value.fract() == 0.0 && (0.0..=most).contains(&value) {
        return Ok(value);
    }
    Err(words(format!(
        "{name} must be a whole number from 0 to {most}, not {value}"
    )))
}

/// 32 bits.
pub fn small(name: &str, value: f64) -> Result<u32> {
    Ok(whole(name, value, f64::from(u32::MAX))? as u32)
}

/// The largest whole number that JavaScript holds exactly.
const MOST_EXACT: f64 = 9_007_199_254_740_991.0;

/// Milliseconds as microseconds.
pub fn ms_to_us(name: &str, ms: f64) -> Result<u64> {
    if ms.is_finite() && (0.0..MOST_EXACT / 1000.0).contains(&ms) {
        return Ok((ms * 1000.0) as u64);
    }
    Err(words(format!(
        "{name} must be a time in milliseconds, not {ms}"
    )))
}

/// Microseconds as milliseconds.
pub fn us_to_ms(us: u64) -> f64 {
    us as f64 / 1000.0
}

/// See `BindingUnit` in binding.ts.
#[napi(object, js_name = "BindingUnit", object_from_js = false)]
pub struct Unit {
    pub data: Buffer,
    pub key: bool,
    pub generation: u32,
    pub width: u32,
    pub height: u32,
    pub monotonic_ms: f64,
    pub capture_ms: f64,
    pub converted_ms: f64,
    pub encoded_ms: f64,
    pub refinement: bool,
}

/// See `BindingEvent` in binding.ts: `kind` says which of the others are there.
#[napi(object, js_name = "BindingEvent", object_from_js = false)]
#[derive(Default)]
pub struct Event {
    pub kind: String,
    pub monotonic_ms: Option<f64>,
    pub name: Option<String>,
    pub version: Option<String>,
    pub words: Option<String>,
}

/// See `BindingFrame` in binding.ts.
#[napi(object, js_name = "BindingFrame", object_to_js = false)]
pub struct Frame {
    pub width: f64,
    pub height: f64,
    pub format: String,
    pub generation: f64,
    pub seq: f64,
    pub capture_ms: f64,
    pub bottom_up: Option<bool>,
}

impl Frame {
    /// Checked.
    pub fn notice(&self) -> Result<FrameNotice> {
        let format = match self.format.as_str() {
            "rgb888" => PixelFormat::Rgb888,
            "rgba8888" => PixelFormat::Rgba8888,
            other => {
                return Err(words(format!(
                    "a frame's format is rgb888 or rgba8888, not {other}"
                )));
            }
        };
        Ok(FrameNotice {
            layout: Layout {
                width: small("width", self.width)?,
                height: small("height", self.height)?,
                format,
                bottom_up: self.bottom_up.unwrap_or(false),
            },
            generation: small("generation", self.generation)?,
            seq: whole("seq", self.seq, MOST_EXACT)? as u64,
            capture_us: ms_to_us("captureMs", self.capture_ms)?,
        })
    }
}

/// See `BindingPipelineOptions` in binding.ts.
#[napi(object, js_name = "BindingPipelineOptions", object_to_js = false)]
pub struct Options {
    pub encoder: Option<String>,
    pub openh264_path: Option<String>,
    pub bits_per_second: Option<f64>,
    pub queue: Option<f64>,
}

/// The encoder that an option names.
pub fn choice(name: Option<&str>) -> Result<Choice> {
    match name {
        None | Some("auto") => Ok(Choice::Auto),
        Some("x264") => Ok(Choice::X264),
        Some("openh264") => Ok(Choice::OpenH264),
        Some("openh264-source") => Ok(Choice::OpenH264Source),
        Some(other) => Err(words(format!(
            "an encoder is auto, x264, openh264 or openh264-source, not {other}"
        ))),
    }
}

/// Bits a second that make sense: 50 kbit/s to 1 Gbit/s.
pub fn bit_rate(value: f64) -> Result<u32> {
    if value.fract() == 0.0 && (50_000.0..=1e9).contains(&value) {
        return Ok(value as u32);
    }
    Err(words(format!(
        "a bit rate is a whole number of bits a second from 50000 to 1000000000, not {value}"
    )))
}

/// See `BindingStill` in binding.ts.
#[napi(object, js_name = "BindingStill", object_from_js = false)]
pub struct Still {
    pub png: Buffer,
    pub width: u32,
    pub height: u32,
    pub generation: u32,
}

/// Name and version of an encoder.
#[napi(object, js_name = "BindingEncoder", object_from_js = false)]
pub struct Encoder {
    pub name: String,
    pub version: String,
}

/// See `BindingStats` in binding.ts.
#[napi(object, js_name = "BindingStats", object_from_js = false)]
pub struct StatsValue {
    pub frames_in: f64,
    pub frames_unchanged: f64,
    pub frames_replaced: f64,
    pub frames_skipped: f64,
    pub units_out: f64,
    pub units_dropped: f64,
    pub key_frames: f64,
    pub refinements: f64,
    pub encoder_restarts: f64,
    pub bytes_out: f64,
    pub load_step: f64,
}

impl From<Stats> for StatsValue {
    fn from(stats: Stats) -> Self {
        Self {
            frames_in: stats.frames_in as f64,
            frames_unchanged: stats.frames_unchanged as f64,
            frames_replaced: stats.frames_replaced as f64,
            frames_skipped: stats.frames_skipped as f64,
            units_out: stats.units_out as f64,
            units_dropped: stats.units_dropped as f64,
            key_frames: stats.key_frames as f64,
            refinements: stats.refinements as f64,
            encoder_restarts: stats.encoder_restarts as f64,
            bytes_out: stats.bytes_out as f64,
            load_step: stats.load_step as f64,
        }
    }
}
