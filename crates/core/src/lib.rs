//! The hot path of a device's screen: frames come in by shared memory, H.264 access units go out.
//!
//! One road, one direction: [`frames`] (the mapping, conversion, the one slot) → [`codec`]
//! (encoders, rate control, bitstream) → [`pipeline`] (the two threads that join them).
//! [`png`] makes stills; [`phone`] draws the test phone. No napi, no async runtime.

pub mod codec;
pub mod frames;
pub mod phone;
pub mod pipeline;
pub mod png;
