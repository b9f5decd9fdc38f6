//! Which encoder this machine has, and opening it.

use std::path::PathBuf;

use super::openh264::{Api, OpenH264};
use super::x264::X264;
use super::{CodecError, Encoder, openh264, x264};

/// Which encoder to open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// x264, then OpenH264 at its path or from the system, then the one compiled in.
    #[default]
    Auto,
    /// x264 and no other.
    X264,
    /// OpenH264 at its path, or from the system when there is no path.
    OpenH264,
    /// The OpenH264 that development builds compile in.
    OpenH264Source,
}

/// How the encoder spends time and bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tuning {
    /// Quantizers from rate control of our own, made for screens.
    #[default]
    Screen,
    /// The encoder's own average bit rate: the measure that others are compared with.
    AbrBaseline,
}

/// What an encoder is opened for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Width in pixels, even.
    pub width: usize,
    /// Height in pixels, even.
    pub height: usize,
    /// Target, in bits a second.
    pub bits_per_second: u32,
    /// How it spends them.
    pub tuning: Tuning,
    /// Cisco's OpenH264 2.6.0, where the operator put it.
    pub openh264_path: Option<PathBuf>,
    /// Threads of the encoder, each a slice; 1 to 4.
    pub threads: usize,
}

impl Config {
    /// For pictures of this size: 8 Mbit/s on one thread.
    #[must_use]
    pub fn new(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            bits_per_second: 8_000_000,
            tuning: Tuning::default(),
            openh264_path: None,
            threads: 1,
        }
    }
}

/// Opens an encoder.
///
/// # Errors
/// [`CodecError::NoEncoder`] in words with the command that installs one; [`CodecError::UnknownBuild`] when a library
/// is there but not one that is known; [`CodecError::Open`] when it refuses.
pub fn open(choice: Choice, config: &Config) -> Result<Box<dyn Encoder>, CodecError> {
    let even = |pixels: usize| pixels > 0 && pixels.is_multiple_of(2);
    if !even(config.width) || !even(config.height) {
        return Err(CodecError::Open(format!(
            "a picture of {}x{} has no even size",
            config.width, config.height
        )));
    }
    let opened = match choice {
        Choice::Auto => first_of(
            &[Choice::X264, Choice::OpenH264, Choice::OpenH264Source],
            config,
        ),
        one => open_one(one, config),
    };
    opened.map_err(|error| match error {
        CodecError::NoEncoder(words) => {
            CodecError::NoEncoder(format!("{words}. {}", install_hint(&os_release())))
        }
        other => other,
    })
}

fn open_one(choice: Choice, config: &Config) -> Result<Box<dyn Encoder>, CodecError> {
    let openh264 = |api: Result<Api, CodecError>| -> Result<Box<dyn Encoder>, CodecError> {
        Ok(Box::new(OpenH264::open(&api?, config)?))
    };
    match choice {
        Choice::Auto | Choice::X264 => Ok(Box::new(X264::open(config)?)),
        Choice::OpenH264 => openh264(openh264::find(config.openh264_path.as_deref())),
        Choice::OpenH264Source => openh264(Api::compiled_in()),
    }
}

/// The first that opens. What is there but unknown or unwilling says more than what is not there.
fn first_of(choices: &[Choice], config: &Config) -> Result<Box<dyn Encoder>, CodecError> {
    let mut absent = Vec::new();
    let mut broken = None;
    for &choice in choices {
        match open_one(choice, config) {
            Ok(encoder) => return Ok(encoder),
            Err(CodecError::NoEncoder(words)) => absent.push(words),
            Err(error) => broken = broken.or(Some(error)),
        }
    }
    Err(broken.unwrap_or_else(|| {
        CodecError::NoEncoder(format!("no H.264 encoder: {}", absent.join("; ")))
    }))
}

/// One kind of encoder on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// "x264" or "OpenH264".
    pub name: &'static str,
    /// Where it comes from, in a word or two.
    pub origin: &'static str,
    /// Its version, or why it cannot be used.
    pub version: Result<String, CodecError>,
}

/// Every kind of encoder that could be used, in the order that [`Choice::Auto`] tries them.
#[must_use]
pub fn list(openh264_path: Option<&std::path::Path>) -> Vec<Found> {
    let origin = if openh264_path.is_some() {
        "by path"
    } else {
        "installed"
    };
    vec![
        Found {
            name: "x264",
            origin: "installed",
            version: x264::version(),
        },
        Found {
            name: "OpenH264",
            origin,
            version: openh264::find(openh264_path).map(|api| api.version),
        },
        Found {
            name: "OpenH264",
            origin: "compiled in",
            version: Api::compiled_in().map(|api| api.version),
        },
    ]
}

fn os_release() -> String {
    std::fs::read_to_string("/etc/os-release").unwrap_or_default()
}

/// The command that installs an encoder on the system that `os_release` describes, in a sentence.
fn install_hint(os_release: &str) -> String {
    let field = |name: &str| {
        os_release
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
            .map(|value| value.trim_matches('"').to_owned())
            .unwrap_or_default()
    };
    let (id, like, version) = (field("ID"), field("ID_LIKE"), field("VERSION_ID"));
    let package = match (id.as_str(), version.as_str()) {
        ("debian", "12") | ("ubuntu", "24.04") => Some("libx264-164"),
        ("debian", "13") => Some("libx264-165"),
        ("debian", "11") => None,
        ("ubuntu", "22.04") => Some("libx264-163"),
        _ => None,
    };
    let family = format!("{id} {like}");
    match package {
        Some(package) => format!("Install one with: apt-get install {package}"),
        None if cfg!(target_os = "macos") => "Install one with: brew install x264".into(),
        None if family.contains("debian") || family.contains("ubuntu") => {
            "Install one with: apt-get install '^libx264-16[345]$'".into()
        }
        None if family.contains("arch") => "Install one with: pacman -S x264".into(),
        None if family.contains("alpine") => "Install one with: apk add x264-libs".into(),
        None => {
            "Install libx264 of build 163, 164 or 165, or give the path of Cisco's OpenH264 2.6.0"
                .into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Choice, Config, install_hint, list, open};
    use crate::codec::CodecError;

    #[test]
    fn the_command_names_the_package_of_the_system() {
        for (text, package) in [
            (
                "ID=debian\nVERSION_ID=\"12\"",
                "apt-get install libx264-164",
            ),
            (
                "ID=debian\nVERSION_ID=\"13\"",
                "apt-get install libx264-165",
            ),
            (
                "NAME=\"Ubuntu\"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"22.04\"",
                "apt-get install libx264-163",
            ),
            (
                "ID=ubuntu\nVERSION_ID=\"24.04\"",
                "apt-get install libx264-164",
            ),
            (
                "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_ID=\"22\"",
                "apt-get install",
            ),
            ("", "libx264"),
        ] {
            assert!(
                install_hint(text).contains(package),
                "{text}: {}",
                install_hint(text)
            );
        }
    }

    #[test]
    fn a_size_that_is_not_even_is_refused_in_words() {
        let Err(error) = open(Choice::Auto, &Config::new(33, 32)) else {
            panic!("33 is odd")
        };
        assert!(
            matches!(&error, CodecError::Open(words) if words.contains("33x32")),
            "{error}"
        );
    }

    #[test]
    fn a_path_without_a_library_is_named_with_what_to_do() {
        let path = std::path::PathBuf::from("/no/such/libopenh264.so");
        let config = Config {
            openh264_path: Some(path),
            ..Config::new(64, 64)
        };
        let Err(error) = open(Choice::OpenH264, &config) else {
            panic!("there is none")
        };
        assert!(
            error.to_string().contains("/no/such/libopenh264.so"),
            "{error}"
        );
    }

    #[test]
    fn the_list_has_each_kind_once_in_order() {
        let names: Vec<_> = list(None)
            .iter()
            .map(|found| (found.name, found.origin))
            .collect();
        assert_eq!(
            names,
            [
                ("x264", "installed"),
                ("OpenH264", "installed"),
                ("OpenH264", "compiled in")
            ]
        );
    }
}
