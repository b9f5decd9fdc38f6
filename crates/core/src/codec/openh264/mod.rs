//! OpenH264: Cisco's own binary by path and hash, the distribution's, or compiled into development builds.

mod file;
mod layout;
mod library;

use std::ffi::c_int;
use std::path::Path;

pub use self::file::KNOWN_HASHES;
use self::layout::{Block, FORMAT_I420, PARAM_ROOM, SourcePicture, param};
pub use self::library::Api;
use self::library::Handle;
use super::bitstream::{NAL_IDR, nal_type, nals};
use super::rate::Drive;
use super::{Ask, CodecError, Config, Encoded, Encoder, Tuning, Unit};
use crate::frames::Picture;

const RATE_BY_BITS: c_int = 1;
const RATE_OFF: c_int = -1;
const COMPLEXITY_LOW: c_int = 0;
const SLICES_FIXED: c_int = 1;
const DECLARED_FPS: f32 = 32.0;
/// Both bounds must be set: without them screen mode holds 26 to 35, too coarse for still text.
const QP_BOUNDS: (c_int, c_int) = (10, 50);
/// From this load step on the picture is coded as a camera's, which takes half the time and finds no scroll.
const CAMERA_STEP: u8 = 2;

/// What the library takes the pictures for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Usage {
    Camera = 0,
    Screen = 1,
}

/// An OpenH264 encoder of one size.
pub struct OpenH264 {
    core: Core,
    api: Api,
    config: Config,
    usage: Usage,
    /// Rate control of our own; `None` leaves it to the library.
    drive: Option<Drive>,
}

/// The encoder without its rate control, so that the one can call the other.
struct Core {
    handle: Handle,
    params: Box<Block<PARAM_ROOM>>,
    width: usize,
    height: usize,
}

/// Finds the library: at the operator's path, else what the system installed.
///
/// # Errors
/// [`CodecError::NoEncoder`] or [`CodecError::UnknownBuild`].
pub fn find(path: Option<&Path>) -> Result<Api, CodecError> {
    path.map_or_else(Api::installed, |path| Api::by_path(path, KNOWN_HASHES))
}

impl OpenH264 {
    /// Opens an encoder of this library.
    ///
    /// # Errors
    /// [`CodecError::Open`].
    pub fn open(api: &Api, config: &Config) -> Result<Self, CodecError> {
        Ok(Self {
            core: Core::open(api, config, Usage::Screen)?,
            api: api.clone(),
            config: config.clone(),
            usage: Usage::Screen,
            drive: (config.tuning == Tuning::Screen).then(|| Drive::new(config.bits_per_second)),
        })
    }

    /// Opens anew with the usage that `step` wants; viewers go on with a key unit.
    fn use_for(&mut self, step: u8) -> Result<(), CodecError> {
        let usage = if step >= CAMERA_STEP {
            Usage::Camera
        } else {
            Usage::Screen
        };
        if usage != self.usage {
            self.core = Core::open(&self.api, &self.config, usage)?;
            self.usage = usage;
            if let Some(drive) = &mut self.drive {
                drive.rate.owe_key();
            }
        }
        Ok(())
    }
}

impl Core {
    fn open(api: &Api, config: &Config, usage: Usage) -> Result<Self, CodecError> {
        let mut handle = api.create()?;
        let mut params = Block::<PARAM_ROOM>::filled(0);
        handle.default_params(&mut params)?;
        settings(&mut params, config, usage);
        handle.initialize(&params)?;
        Ok(Self {
            handle,
            params,
            width: config.width,
            height: config.height,
        })
    }

    /// Encodes at a quantizer, or as the library's rate control likes; `None` when the library dropped the picture.
    fn encode_at(
        &mut self,
        picture: &Picture,
        arrival_us: u64,
        key: bool,
        qp: Option<u8>,
    ) -> Result<Option<Unit>, CodecError> {
        if let Some(qp) = qp.map(c_int::from)
            && self.params.int(param::LAYER_QP) != qp
        {
            self.params.put_int(param::LAYER_QP, qp);
            if !self.handle.change(&mut self.params) {
                return Err(CodecError::Encode(format!(
                    "OpenH264 refuses the quantizer {qp}"
                )));
            }
        }
        let (y, u, v) = picture.planes();
        let int = |value: usize| c_int::try_from(value).unwrap_or(c_int::MAX);
        let (width, height) = (int(self.width), int(self.height));
        let mut plane = [std::ptr::null_mut(); 4];
        plane[..3].copy_from_slice(&[y, u, v].map(|plane| plane.as_ptr().cast_mut()));
        let source = SourcePicture {
            format: FORMAT_I420,
            stride: [width, width / 2, width / 2, 0],
            plane,
            width,
            height,
            timestamp_ms: i64::try_from(arrival_us / 1000).unwrap_or(i64::MAX),
            quality_flags: [0; 8],
        };
        Ok(self.handle.encode(&source, key)?.map(|data| {
            let key = nals(&data).any(|nal| nal_type(nal) == NAL_IDR);
            Unit { data, key }
        }))
    }
}

fn settings(params: &mut Block<PARAM_ROOM>, config: &Config, usage: Usage) {
    let int = |value: usize| c_int::try_from(value).unwrap_or(c_int::MAX);
    let threads = config.threads.clamp(1, 4);
    let (width, height) = (int(config.width), int(config.height));
    for (at, value) in [
        (param::USAGE, usage as c_int),
        (param::WIDTH, width),
        (param::HEIGHT, height),
        (
            param::RATE_MODE,
            if config.tuning == Tuning::Screen {
                RATE_OFF
            } else {
                RATE_BY_BITS
            },
        ),
        (param::TEMPORAL_LAYERS, 1),
        (param::SPATIAL_LAYERS, 1),
        (param::COMPLEXITY, COMPLEXITY_LOW),
        (param::INTRA_PERIOD, 0),
        (param::REFERENCES, 1),
        (param::SET_ID_STRATEGY, 0),
        (param::ENTROPY_MODE, 0),
        (param::MIN_QP, QP_BOUNDS.0),
        (param::MAX_QP, QP_BOUNDS.1),
        (param::DEBLOCKING_OFF, 0),
        (param::LAYER_WIDTH, width),
        (param::LAYER_HEIGHT, height),
        (
            param::LAYER_SLICE_MODE,
            if threads > 1 { SLICES_FIXED } else { 0 },
        ),
        (param::LAYER_SLICES, int(threads)),
    ] {
        params.put_int(at, value);
    }
    params.put(param::FRAME_RATE, DECLARED_FPS.to_ne_bytes());
    params.put(param::LAYER_FRAME_RATE, DECLARED_FPS.to_ne_bytes());
    params.put(
        param::THREADS,
        u16::try_from(threads).unwrap_or(1).to_ne_bytes(),
    );
    for (at, value) in [
        // Off, for it drops pictures at will: each picture must give its unit from the same call.
        (param::FRAME_SKIP, 0),
        (param::LOAD_BALANCING, 0),
        (param::DENOISE, 0),
        (param::BACKGROUND_DETECTION, 0),
        (param::ADAPTIVE_QUANT, 0),
        (param::SCENE_CHANGE, 0),
        (param::LAYER_SIGNAL_PRESENT, 1),
        (param::LAYER_VIDEO_FORMAT, 5),
        (param::LAYER_FULL_RANGE, 0),
        (param::LAYER_COLOUR_PRESENT, 1),
        (param::LAYER_PRIMARIES, 1),
        (param::LAYER_TRANSFER, 1),
        (param::LAYER_MATRIX, 1),
    ] {
        params.put(at, [value]);
    }
    set_rate(params, config.bits_per_second);
}

fn set_rate(params: &mut Block<PARAM_ROOM>, bits_per_second: u32) {
    let rate = c_int::try_from(bits_per_second).unwrap_or(c_int::MAX);
    for at in [
        param::BIT_RATE,
        param::MAX_BIT_RATE,
        param::LAYER_BIT_RATE,
        param::LAYER_MAX_BIT_RATE,
    ] {
        params.put_int(at, rate);
    }
}

impl Encoder for OpenH264 {
    fn name(&self) -> &str {
        "OpenH264"
    }

    fn version(&self) -> &str {
        &self.api.version
    }

    fn encode(&mut self, picture: &Picture, ask: Ask) -> Result<Encoded, CodecError> {
        let core = &mut self.core;
        super::check_size(picture, core.width, core.height)?;
        let Some(drive) = &mut self.drive else {
            let unit = core.encode_at(picture, ask.arrival_us, ask.key, None)?;
            return Ok(unit.map_or(Encoded::Skipped, Encoded::Unit));
        };
        drive.encode(picture, ask, |qp, key| {
            core.encode_at(picture, ask.arrival_us, key, Some(qp))?
                .ok_or_else(|| CodecError::Encode("OpenH264 dropped a picture unasked".into()))
        })
    }

    fn set_bitrate(&mut self, bits_per_second: u32) {
        self.config.bits_per_second = bits_per_second;
        match &mut self.drive {
            Some(drive) => drive.rate.set_rate(bits_per_second),
            None => {
                set_rate(&mut self.core.params, bits_per_second);
                // A refused change keeps the old rate: the stream goes on, which is worth more than the change.
                let _ = self.core.handle.change(&mut self.core.params);
            }
        }
    }

    fn set_load_step(&mut self, step: u8) {
        if let Some(drive) = &mut self.drive {
            drive.rate.set_load_step(step);
        }
        // When the other usage does not open, the one that runs goes on.
        let _ = self.use_for(step);
    }

    fn wants_refinement(&self) -> bool {
        self.drive
            .as_ref()
            .is_some_and(|drive| drive.rate.wants_refinement())
    }
}

#[cfg(test)]
mod tests {
    use super::{Api, KNOWN_HASHES, find};
    use crate::codec::CodecError;
    use crate::codec::tests::missing;
    use std::path::{Path, PathBuf};

    /// The distribution's library as a file, where it has one.
    fn installed_file() -> Option<PathBuf> {
        ["x86_64-linux-gnu", "aarch64-linux-gnu"]
            .iter()
            .flat_map(|cpu| {
                [8, 7].map(|version| format!("/usr/lib/{cpu}/libopenh264.so.{version}"))
            })
            .map(PathBuf::from)
            .find(|path| path.exists())
    }

    #[test]
    fn a_file_of_another_hash_is_refused_with_its_hash() {
        let path = std::env::current_exe().expect("a test is a file");
        let Err(CodecError::UnknownBuild(words)) = find(Some(&path)) else {
            panic!("a test is no encoder")
        };
        assert!(
            words.contains("SHA-256 is ") && words.contains(&*path.to_string_lossy()),
            "{words}"
        );
    }

    #[test]
    fn a_file_with_a_listed_hash_that_is_no_library_is_refused_in_words() {
        let path = std::env::temp_dir().join(format!("codec-hash-{}", std::process::id()));
        std::fs::write(&path, "abc").expect("the folder can be written");
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let result = Api::by_path(&path, &[hash]);
        std::fs::remove_file(&path).expect("it was written");
        assert!(
            matches!(result, Err(CodecError::NoEncoder(words)) if words.contains("OpenH264 at"))
        );
    }

    #[test]
    fn the_library_that_was_hashed_is_the_one_that_loads() {
        let Some(path) = installed_file() else {
            missing("the file of an installed libopenh264", false);
            return;
        };
        let Err(CodecError::UnknownBuild(words)) = Api::by_path(&path, KNOWN_HASHES) else {
            return;
        };
        let hash = words
            .split("SHA-256 is ")
            .nth(1)
            .map(|rest| rest[..64].to_owned())
            .expect("the words name it");
        let api = Api::by_path(&path, &[&hash]).expect("its hash is listed now");
        assert_eq!(
            Some(api.version),
            Api::installed().ok().map(|installed| installed.version)
        );
    }

    #[test]
    fn a_directory_or_nothing_in_the_files_place_is_an_error_in_words() {
        for path in ["/", "/no/such/file"] {
            assert!(
                matches!(find(Some(Path::new(path))), Err(CodecError::NoEncoder(_))),
                "{path}"
            );
        }
    }
}
