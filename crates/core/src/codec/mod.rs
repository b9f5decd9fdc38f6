//! From pictures to H.264 access units.

pub mod bitstream;
mod dylib;
mod open;
mod openh264;
pub mod rate;
pub mod testing;
mod x264;

#[cfg(test)]
mod tests;

pub use open::{Choice, Config, Found, Tuning, list, open};

use crate::frames::{Bands, Picture};

/// What the next unit must be.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ask {
    /// An IDR with SPS and PPS.
    pub key: bool,
    /// A re-encode of a picture that did not change, at better quality.
    pub refine: bool,
    /// Vertical scroll since the last picture in rows, where row hashes found one.
    pub scroll: Option<i32>,
    /// Fraction of rows that changed since the last picture, 0 to 1.
    pub dirty: f32,
    /// Bands of rows that did not change since the picture of the last unit; none where it is not known.
    pub unchanged: Bands,
    /// When the picture arrived, CLOCK_MONOTONIC microseconds: rate control lives on real time.
    pub arrival_us: u64,
}

impl Ask {
    /// A plain picture that arrived now.
    #[must_use]
    pub fn at(arrival_us: u64) -> Self {
        Self {
            dirty: 1.0,
            arrival_us,
            ..Self::default()
        }
    }
}

/// One whole access unit in Annex B with four-byte start codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The bytes. A key unit opens with SPS then PPS.
    pub data: Vec<u8>,
    /// An IDR.
    pub key: bool,
}

/// What a call to an encoder gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Encoded {
    /// The unit of exactly this picture.
    Unit(Unit),
    /// Rate control skipped the picture: the bucket is empty at the highest QP. Newest wins; counted.
    Skipped,
}

/// Why an encoder could not be opened or failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// No encoder on this machine; the words name the command that installs one.
    #[error("{0}")]
    NoEncoder(String),
    /// The library is not one that this code knows the layout of.
    #[error("{0}")]
    UnknownBuild(String),
    /// Opening failed.
    #[error("the encoder could not be opened: {0}")]
    Open(String),
    /// Encoding failed.
    #[error("the encoder failed: {0}")]
    Encode(String),
}

/// An encoder of one size. Its first unit is a key unit. Not shared between threads.
pub trait Encoder: Send {
    /// "x264" or "OpenH264".
    fn name(&self) -> &str;
    /// As the library says it.
    fn version(&self) -> &str;
    /// Gives the unit of this picture from the same call: no delay, no reordering.
    ///
    /// # Errors
    /// [`CodecError::Encode`]; the encoder is then thrown away and opened again.
    fn encode(&mut self, picture: &Picture, ask: Ask) -> Result<Encoded, CodecError>;
    /// Bits a second, while it runs.
    fn set_bitrate(&mut self, bits_per_second: u32);
    /// The load ladder's step: 0 is full quality; each higher step costs less time.
    fn set_load_step(&mut self, step: u8);
    /// Would another encode of the same picture still improve it? Answers after 100 ms of stillness.
    fn wants_refinement(&self) -> bool;
}

/// A picture of another size would be read past its end by an encoder.
fn check_size(picture: &Picture, width: usize, height: usize) -> Result<(), CodecError> {
    if (picture.width(), picture.height()) == (width, height) {
        return Ok(());
    }
    Err(CodecError::Encode(format!(
        "a picture of {}x{} came to an encoder of {width}x{height}",
        picture.width(),
        picture.height()
    )))
}
