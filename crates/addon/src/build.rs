//! What this addon was built from, and which encoders the machine has.

use std::path::PathBuf;

use device_core::codec::{self, Choice, Config};
use napi_derive::napi;

/// Hash of the sources (see build.rs) and the features.
#[napi(object, js_name = "BindingBuildInfo")]
pub struct BuildInfo {
    /// SHA-256 in hex.
    pub hash: String,
    /// Cargo features.
    pub features: Vec<String>,
}

/// Hash of crates/ and the features this addon was built from.
#[napi]
#[must_use]
pub fn build_info() -> BuildInfo {
    let features = if cfg!(feature = "openh264-source") {
        vec!["openh264-source".to_owned()]
    } else {
        Vec::new()
    };
    BuildInfo {
        hash: env!("DEVICE_CRATES_HASH").to_owned(),
        features,
    }
}

/// An encoder that this machine can open, or why it cannot.
#[napi(object, js_name = "BindingEncoderChoice", use_nullable = true)]
pub struct EncoderChoice {
    /// As the pipeline's option names it.
    pub name: String,
    /// As the library says it.
    pub version: Option<String>,
    /// Why it cannot be opened, for a person.
    pub why: Option<String>,
}

/// Which encoders this machine can open, with the reason for each that it cannot.
#[napi]
#[must_use]
pub fn encoders(openh264_path: Option<String>) -> Vec<EncoderChoice> {
    let mut choices = vec![("x264", Choice::X264), ("openh264", Choice::OpenH264)];
    if cfg!(feature = "openh264-source") {
        choices.push(("openh264-source", Choice::OpenH264Source));
    }
    // Large enough for every encoder, small enough to cost nothing.
    let config = Config {
        openh264_path: openh264_path.map(PathBuf::from),
        ..Config::new(256, 256)
    };
    let describe = |(name, choice): (&str, Choice)| {
        let name = name.to_owned();
        match codec::open(choice, &config) {
            Ok(encoder) => EncoderChoice {
                name,
                version: Some(encoder.version().to_owned()),
                why: None,
            },
            Err(error) => EncoderChoice {
                name,
                version: None,
                why: Some(error.to_string()),
            },
        }
    };
    choices.into_iter().map(describe).collect()
}
