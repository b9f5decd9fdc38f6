//! From a device's pixels to a picture an encoder takes.

mod bands;
mod convert;
mod copy;
mod fault;
mod intake;
mod motion;
mod picture;
mod region;
mod rowhash;
#[cfg(test)]
mod tests;

pub use bands::{BAND, Bands};
pub use convert::{Converter, Level};
pub use fault::Fault;
pub use intake::{Frame, FrameError, Intake, Layout, PixelFormat, Seen, Source};
pub use motion::{ScrollFinder, dirty_fraction};
pub use picture::Picture;
pub use region::{Region, RegionError, RegionWriter};
pub use rowhash::RowHasher;
