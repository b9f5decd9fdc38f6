#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| device_core::codec::testing::fuzz::bitstream(bytes));
