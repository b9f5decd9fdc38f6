//! From a device's pixels to a picture an encoder takes.

mod picture;

pub use picture::Picture;
