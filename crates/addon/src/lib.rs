//! The napi-rs shell over `device-core`: types that cross into JavaScript, and the hand-over between
//! threads. No rule of the product lives here. ts/native/binding.ts describes the same surface.

mod build;
mod lock;
mod outlet;
mod phone;
mod pipeline;
mod values;
