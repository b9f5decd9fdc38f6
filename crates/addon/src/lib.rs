//! The napi-rs shell over `device-core`: types that cross into JavaScript, and the hand-over between
//! threads. No rule of the product lives here. ts/native/binding.ts describes the same surface.

// The test harness replaces napi's registration, so that nothing there calls what JavaScript calls.
#![cfg_attr(test, allow(dead_code))]

mod build;
mod lock;
mod outlet;
mod phone;
mod pipeline;
mod values;
