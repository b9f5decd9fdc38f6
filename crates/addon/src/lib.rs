//! The napi-rs shell over `device-core`.
