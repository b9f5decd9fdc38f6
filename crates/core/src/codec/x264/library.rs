//! Binding to libx264 by dlopen: the few fields that are read or written by place, checked before anything is trusted.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::Mutex;

use super::layout::{CSP_I420, PARAM_BYTES, PARAM_ROOM, Param, RawNal, RawPicture, at};
use crate::codec::CodecError;
use crate::codec::dylib::Library;

/// Builds whose structures have one and the same layout.
const BUILDS: [u32; 3] = [165, 164, 163];
type Open = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type Preset = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> c_int;
type Parse = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> c_int;
type Parameters = unsafe extern "C" fn(*mut c_void, *mut c_void);
type Reconfigure = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;
type Encode = unsafe extern "C" fn(
    *mut c_void,
    *mut *mut RawNal,
    *mut c_int,
    *mut RawPicture,
    *mut RawPicture,
) -> c_int;
type Close = unsafe extern "C" fn(*mut c_void);

/// The functions of a checked libx264.
#[derive(Clone, Copy)]
pub struct Api {
    /// The build number, as 164.
    pub build: u32,
    open: Open,
    preset: Preset,
    parse: Parse,
    parameters: Parameters,
    reconfigure: Reconfigure,
    encode: Encode,
    close: Close,
}

/// The library once it was found; a failure is not kept, so that one installed later is found without a restart.
static FOUND: Mutex<Option<Api>> = Mutex::new(None);

impl Api {
    /// Finds, opens and checks libx264.
    ///
    /// # Errors
    /// [`CodecError::NoEncoder`] when no known build is installed, [`CodecError::UnknownBuild`] when the check fails.
    pub fn load() -> Result<Self, CodecError> {
        let mut found = FOUND
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(api) = *found {
            return Ok(api);
        }
        let mut failure = None;
        for build in BUILDS {
            let Ok(library) = Library::open(&soname(build)) else {
                continue;
            };
            match Self::checked(library, build) {
                Ok(api) => {
                    *found = Some(api);
                    return Ok(api);
                }
                Err(error) => failure = Some(error),
            }
        }
        Err(failure.unwrap_or_else(|| {
            let names = BUILDS
                .map(|build| soname(build).to_string_lossy().into_owned())
                .join(", ");
            CodecError::NoEncoder(format!("libx264 is not installed (looked for {names})"))
        }))
    }

    /// The functions of a library, its layout proved.
    fn checked(library: Library, build: u32) -> Result<Self, CodecError> {
        let api = Self::resolve(library, build)?;
        api.check_layout()?;
        Ok(api)
    }

    fn resolve(library: Library, build: u32) -> Result<Self, CodecError> {
        let open = c_string(&format!("x264_encoder_open_{build}"));
        let missing =
            |words: String| CodecError::UnknownBuild(format!("libx264 build {build}: {words}"));
        // SAFETY: these are the functions' types in every build that is listed; the layout behind the pointers is
        // checked before any of them but the preset's is called.
        unsafe {
            Ok(Self {
                build,
                open: library.function(&open).map_err(missing)?,
                preset: library
                    .function(c"x264_param_default_preset")
                    .map_err(missing)?,
                parse: library.function(c"x264_param_parse").map_err(missing)?,
                parameters: library
                    .function(c"x264_encoder_parameters")
                    .map_err(missing)?,
                reconfigure: library
                    .function(c"x264_encoder_reconfig")
                    .map_err(missing)?,
                encode: library.function(c"x264_encoder_encode").map_err(missing)?,
                close: library.function(c"x264_encoder_close").map_err(missing)?,
            })
        }
    }

    /// Lets the library fill two poisoned blocks: how far it writes is its structure's size, and known defaults must
    /// stand where this binding looks for them.
    fn check_layout(&self) -> Result<(), CodecError> {
        let unknown = |what: &str| {
            CodecError::UnknownBuild(format!(
                "libx264 build {}: its parameters {what}",
                self.build
            ))
        };
        let (mut one, mut two) = (Param::filled(0xa5), Param::filled(0x5a));
        self.apply_preset(&mut one)?;
        self.apply_preset(&mut two)?;
        let written = (0..PARAM_ROOM)
            .rev()
            .find(|&at| one.0[at] != 0xa5 || two.0[at] != 0x5a)
            .map_or(0, |at| at + 1);
        if written != PARAM_BYTES {
            return Err(unknown(&format!(
                "take {written} bytes where {PARAM_BYTES} are known"
            )));
        }
        let defaults = [
            (at::THREADS, 0),
            (at::WIDTH, 0),
            (at::HEIGHT, 0),
            (at::CSP, CSP_I420),
            (at::BIT_DEPTH, 8),
            (at::KEYINT_MAX, 250),
            (at::FAST_PSKIP, 1),
            (at::DCT_DECIMATE, 1),
            (at::BLOCK_INFO, 0),
            (at::BLOCK_INFO_UPDATE, 0),
            (at::DEADZONE_INTER, 21),
            (at::DEADZONE_INTRA, 11),
            (at::FPS_NUM, 25),
            (at::FPS_DEN, 1),
        ];
        for (at, value) in defaults {
            if one.get(at) != value {
                return Err(unknown(&format!(
                    "have {} at {at} where {value} is known",
                    one.get(at)
                )));
            }
        }
        Ok(())
    }

    fn apply_preset(&self, param: &mut Param) -> Result<(), CodecError> {
        // SAFETY: the block is four times what known builds write; both names are C strings.
        let failed = unsafe {
            (self.preset)(
                param.pointer(),
                c"ultrafast".as_ptr(),
                c"zerolatency".as_ptr(),
            )
        };
        if failed == 0 {
            Ok(())
        } else {
            Err(CodecError::Open("x264 refuses its own preset".into()))
        }
    }

    /// Parameters of the fastest preset without delay, for this size, with `settings` laid over.
    ///
    /// # Errors
    /// [`CodecError::Open`] names the setting that x264 refuses.
    pub fn param(
        &self,
        width: c_int,
        height: c_int,
        settings: &[(&str, String)],
    ) -> Result<Box<Param>, CodecError> {
        let mut param = Param::filled(0);
        self.apply_preset(&mut param)?;
        param.set_size(width, height);
        self.set(&mut param, settings)?;
        Ok(param)
    }

    fn set(&self, param: &mut Param, settings: &[(&str, String)]) -> Result<(), CodecError> {
        for (name, value) in settings {
            let (c_name, c_value) = (c_string(name), c_string(value));
            // SAFETY: the block was filled by the library; both strings live over the call and x264 copies them.
            let failed =
                unsafe { (self.parse)(param.pointer(), c_name.as_ptr(), c_value.as_ptr()) };
            if failed != 0 {
                return Err(CodecError::Open(format!("x264 refuses {name}={value}")));
            }
        }
        Ok(())
    }

    /// Opens an encoder and checks that it took the size from where this binding put it.
    ///
    /// # Errors
    /// [`CodecError::Open`] or [`CodecError::UnknownBuild`].
    pub fn open(&self, param: &mut Param) -> Result<Handle, CodecError> {
        // SAFETY: the parameters were filled by this library and checked; x264 copies them.
        let raw = unsafe { (self.open)(param.pointer()) };
        if raw.is_null() {
            let (width, height) = param.size();
            return Err(CodecError::Open(format!(
                "x264 opens no encoder of {width}x{height}"
            )));
        }
        let handle = Handle { api: *self, raw };
        let taken = handle.parameters().size();
        if taken != param.size() {
            return Err(CodecError::UnknownBuild(format!(
                "libx264 build {}: it took the size {taken:?} for {:?}",
                self.build,
                param.size()
            )));
        }
        Ok(handle)
    }
}

/// An open encoder; closed when dropped.
pub struct Handle {
    api: Api,
    raw: *mut c_void,
}

// SAFETY: x264 ties nothing to the opening thread; one thread uses the handle at a time, since it is not `Sync`.
unsafe impl Send for Handle {}

impl Handle {
    fn parameters(&self) -> Box<Param> {
        let mut param = Param::filled(0);
        // SAFETY: the handle is open, and the block has room for the checked size.
        unsafe { (self.api.parameters)(self.raw, param.pointer()) };
        param
    }

    /// Changes settings between pictures.
    ///
    /// # Errors
    /// [`CodecError::Encode`] when x264 refuses them.
    pub fn reconfigure(&mut self, settings: &[(&str, String)]) -> Result<(), CodecError> {
        let mut param = self.parameters();
        self.api.set(&mut param, settings)?;
        // SAFETY: the handle is open and the parameters are its own, changed by the library's own parser.
        let failed = unsafe { (self.api.reconfigure)(self.raw, param.pointer()) };
        if failed == 0 {
            Ok(())
        } else {
            Err(CodecError::Encode(format!(
                "x264 refuses to change to {settings:?}"
            )))
        }
    }

    /// Encodes one picture and gives its whole unit, start codes of four bytes.
    ///
    /// # Errors
    /// [`CodecError::Encode`] when x264 fails or holds the picture back.
    pub fn encode(&mut self, picture: &mut RawPicture) -> Result<(Vec<u8>, bool), CodecError> {
        let mut out = RawPicture::empty();
        let mut nals: *mut RawNal = std::ptr::null_mut();
        let mut count: c_int = 0;
        // SAFETY: the handle is open; the picture's planes outlive the call, which reads them and never writes; the
        // outputs are valid to write.
        let size = unsafe {
            (self.api.encode)(
                self.raw,
                &raw mut nals,
                &raw mut count,
                picture,
                &raw mut out,
            )
        };
        if size <= 0 || nals.is_null() || count <= 0 {
            let what = if size < 0 {
                "failed"
            } else {
                "held the picture back"
            };
            return Err(CodecError::Encode(format!("x264_encoder_encode {what}")));
        }
        let mut unit = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 8);
        for at in 0..usize::try_from(count).unwrap_or(0) {
            // SAFETY: x264 says that `count` NAL units stand there; they and their payloads live until the next call.
            let payload = unsafe {
                let nal = &*nals.add(at);
                std::slice::from_raw_parts(
                    nal.payload,
                    usize::try_from(nal.payload_bytes).unwrap_or(0),
                )
            };
            if !payload.starts_with(&[0, 0, 0, 1]) {
                unit.push(0);
            }
            unit.extend_from_slice(payload);
        }
        Ok((unit, out.key != 0))
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the handle is open and no one can use it after this.
        unsafe { (self.api.close)(self.raw) };
    }
}

fn soname(build: u32) -> CString {
    c_string(&if cfg!(target_os = "macos") {
        format!("libx264.{build}.dylib")
    } else {
        format!("libx264.so.{build}")
    })
}

/// A C string of text that this module wrote; a zero inside, which none has, would end it early.
fn c_string(text: &str) -> CString {
    let bytes: Vec<u8> = text
        .bytes()
        .take_while(|&byte| byte != 0)
        .chain([0])
        .collect();
    CStr::from_bytes_until_nul(&bytes)
        .map(CStr::to_owned)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
