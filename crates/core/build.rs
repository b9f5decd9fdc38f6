//! With OpenH264 compiled in, nasm must be there: its own build leaves the assembly out in silence, at a third of the
//! speed.

use std::process::{Command, Stdio};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PATH");
    let wanted = std::env::var_os("CARGO_FEATURE_OPENH264_SOURCE").is_some();
    let intel = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|cpu| cpu.starts_with("x86"));
    if !wanted || !intel {
        return;
    }
    let nasm = Command::new("nasm")
        .arg("-v")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !nasm.is_ok_and(|status| status.success()) {
        println!(
            "cargo::error=the feature openh264-source needs nasm: install it (apt-get install nasm), or build without"
        );
    }
}
