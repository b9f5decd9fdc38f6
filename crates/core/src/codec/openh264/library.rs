//! Binding to OpenH264: found by path and hash, by the system's loader, or compiled in; its layout chosen by its own
//! version and proved before use.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr::NonNull;

use super::file;
use super::layout::{
    self, Block, FRAME_SKIPPED, INFO_ROOM, Layout, PARAM_ROOM, SourcePicture, info,
};
use crate::codec::CodecError;
use crate::codec::dylib::Library;

/// What the distribution calls it: 2.6 and 2.3.
const SONAMES: &[&CStr] = if cfg!(target_os = "macos") {
    &[c"libopenh264.8.dylib", c"libopenh264.7.dylib"]
} else {
    &[c"libopenh264.so.8", c"libopenh264.so.7"]
};

#[repr(C)]
struct Version {
    major: c_uint,
    minor: c_uint,
    revision: c_uint,
    reserved: c_uint,
}

type Object = *mut *const VTable;
type Create = unsafe extern "C" fn(*mut Object) -> c_int;
type Destroy = unsafe extern "C" fn(Object);
type GetVersion = unsafe extern "C" fn(*mut Version);

/// The encoder's methods in the order of its table.
#[repr(C)]
struct VTable {
    initialize: unsafe extern "C" fn(Object, *const c_void) -> c_int,
    initialize_ext: unsafe extern "C" fn(Object, *const c_void) -> c_int,
    default_params: unsafe extern "C" fn(Object, *mut c_void) -> c_int,
    uninitialize: unsafe extern "C" fn(Object) -> c_int,
    encode: unsafe extern "C" fn(Object, *const SourcePicture, *mut c_void) -> c_int,
    parameter_sets: unsafe extern "C" fn(Object, *mut c_void) -> c_int,
    force_intra: unsafe extern "C" fn(Object, bool, c_int) -> c_int,
    set_option: unsafe extern "C" fn(Object, c_int, *mut c_void) -> c_int,
    get_option: unsafe extern "C" fn(Object, c_int, *mut c_void) -> c_int,
}

/// How much the library logs: nothing, for its words would go to the process's standard error.
const OPTION_TRACE_LEVEL: c_int = 25;
/// Changes parameters between pictures.
const OPTION_PARAMS: c_int = 3;

/// The functions of a checked OpenH264.
#[derive(Debug, Clone)]
pub struct Api {
    create: Create,
    destroy: Destroy,
    layout: Layout,
    /// As the library says it, as "2.6.0".
    pub version: String,
}

impl Api {
    /// Opens the library at `path` when its SHA-256 is one of `hashes`; what was hashed is what is loaded.
    ///
    /// # Errors
    /// [`CodecError::NoEncoder`] when it cannot be read, [`CodecError::UnknownBuild`] for another hash or version.
    pub fn by_path(path: &Path, hashes: &[&str]) -> Result<Self, CodecError> {
        let library = file::open(path, hashes)?;
        Self::resolve(library)
    }

    /// Opens the library that the system installed, whose maker the system vouches for.
    ///
    /// # Errors
    /// [`CodecError::NoEncoder`] when there is none, [`CodecError::UnknownBuild`] for a version not known.
    pub fn installed() -> Result<Self, CodecError> {
        for name in SONAMES {
            if let Ok(library) = Library::open(name) {
                return Self::resolve(library);
            }
        }
        Err(CodecError::NoEncoder(
            "the system has no libopenh264".into(),
        ))
    }

    /// The one compiled into development builds.
    ///
    /// # Errors
    /// [`CodecError::NoEncoder`] in a build without it.
    pub fn compiled_in() -> Result<Self, CodecError> {
        #[cfg(feature = "openh264-source")]
        {
            use openh264_sys2 as _;
            unsafe extern "C" {
                fn WelsCreateSVCEncoder(encoder: *mut Object) -> c_int;
                fn WelsDestroySVCEncoder(encoder: Object);
                fn WelsGetCodecVersionEx(version: *mut Version);
            }
            Self::checked(
                WelsCreateSVCEncoder,
                WelsDestroySVCEncoder,
                WelsGetCodecVersionEx,
            )
        }
        #[cfg(not(feature = "openh264-source"))]
        Err(CodecError::NoEncoder(
            "OpenH264 is not compiled into this build".into(),
        ))
    }

    fn resolve(library: Library) -> Result<Self, CodecError> {
        let missing = |words: String| CodecError::UnknownBuild(format!("libopenh264: {words}"));
        // SAFETY: these three have had the same types since version 1.4; what lies behind the pointers is told by the
        // version, which is read first.
        let (create, destroy, version) = unsafe {
            (
                library
                    .function::<Create>(c"WelsCreateSVCEncoder")
                    .map_err(missing)?,
                library
                    .function::<Destroy>(c"WelsDestroySVCEncoder")
                    .map_err(missing)?,
                library
                    .function::<GetVersion>(c"WelsGetCodecVersionEx")
                    .map_err(missing)?,
            )
        };
        Self::checked(create, destroy, version)
    }

    fn checked(
        create: Create,
        destroy: Destroy,
        get_version: GetVersion,
    ) -> Result<Self, CodecError> {
        let mut version = Version {
            major: 0,
            minor: 0,
            revision: 0,
            reserved: 0,
        };
        // SAFETY: the function fills these four numbers.
        unsafe { get_version(&raw mut version) };
        let words = format!("{}.{}.{}", version.major, version.minor, version.revision);
        let Some(layout) = layout::of_version(version.major, version.minor) else {
            return Err(CodecError::UnknownBuild(format!(
                "OpenH264 {words} is installed, but only 2.6 and 2.3 are known here: others lay their data out \
                 differently, and using them would crash"
            )));
        };
        let api = Self {
            create,
            destroy,
            layout,
            version: words,
        };
        api.check_layout()?;
        Ok(api)
    }

    /// The library shows its parameters' size by filling two poisoned blocks.
    fn check_layout(&self) -> Result<(), CodecError> {
        let encoder = self.create()?;
        let mut one = Block::<PARAM_ROOM>::filled(0xa5);
        let mut two = Block::<PARAM_ROOM>::filled(0x5a);
        encoder.default_params(&mut one)?;
        encoder.default_params(&mut two)?;
        let written = (0..PARAM_ROOM)
            .rev()
            .find(|&at| one.0[at] != 0xa5 || two.0[at] != 0x5a)
            .map_or(0, |at| at + 1);
        // The last fields are single bytes with padding behind them, which the library may or may not write.
        if written.next_multiple_of(4) != self.layout.param_bytes {
            return Err(CodecError::UnknownBuild(format!(
                "OpenH264 {}: its parameters take {written} bytes where {} are known",
                self.version, self.layout.param_bytes
            )));
        }
        Ok(())
    }

    /// A new encoder, not yet initialized.
    ///
    /// # Errors
    /// [`CodecError::Open`].
    pub fn create(&self) -> Result<Handle, CodecError> {
        let mut object: Object = std::ptr::null_mut();
        // SAFETY: the function writes one pointer.
        let failed = unsafe { (self.create)(&raw mut object) };
        let object = NonNull::new(object)
            .filter(|_| failed == 0)
            .ok_or_else(|| {
                CodecError::Open(format!(
                    "OpenH264 {} makes no encoder ({failed})",
                    self.version
                ))
            })?;
        let mut handle = Handle {
            object,
            destroy: self.destroy,
            layout: self.layout,
            ready: false,
        };
        let mut quiet: c_int = 0;
        handle.set_option(OPTION_TRACE_LEVEL, (&raw mut quiet).cast());
        Ok(handle)
    }
}

/// A created encoder; destroyed when dropped.
pub struct Handle {
    object: NonNull<*const VTable>,
    destroy: Destroy,
    layout: Layout,
    ready: bool,
}

// SAFETY: the encoder ties nothing to the creating thread; one thread uses it at a time, since it is not `Sync`.
unsafe impl Send for Handle {}

impl Handle {
    fn table(&self) -> &VTable {
        // SAFETY: the object is alive until drop and begins with a pointer to its table, which is static.
        unsafe { &**self.object.as_ptr() }
    }

    fn set_option(&mut self, option: c_int, value: *mut c_void) -> bool {
        // SAFETY: the object is alive, and each caller hands in the type that its option takes.
        unsafe { (self.table().set_option)(self.object.as_ptr(), option, value) == 0 }
    }

    /// Fills the parameters with the library's defaults.
    ///
    /// # Errors
    /// [`CodecError::Open`].
    pub fn default_params(&self, params: &mut Block<PARAM_ROOM>) -> Result<(), CodecError> {
        // SAFETY: the object is alive, and the block has room for any version's parameters.
        let failed = unsafe {
            (self.table().default_params)(self.object.as_ptr(), (&raw mut params.0).cast())
        };
        if failed == 0 {
            Ok(())
        } else {
            Err(CodecError::Open(format!(
                "OpenH264 gives no defaults ({failed})"
            )))
        }
    }

    /// Initializes with these parameters.
    ///
    /// # Errors
    /// [`CodecError::Open`] with the library's number.
    pub fn initialize(&mut self, params: &Block<PARAM_ROOM>) -> Result<(), CodecError> {
        // SAFETY: the object is alive; the block was filled by this library and is only read.
        let failed = unsafe {
            (self.table().initialize_ext)(self.object.as_ptr(), (&raw const params.0).cast())
        };
        self.ready = failed == 0;
        if self.ready {
            Ok(())
        } else {
            Err(CodecError::Open(format!(
                "OpenH264 refuses its settings ({failed})"
            )))
        }
    }

    /// Changes parameters between pictures; false when the library refuses.
    pub fn change(&mut self, params: &mut Block<PARAM_ROOM>) -> bool {
        self.set_option(OPTION_PARAMS, (&raw mut params.0).cast())
    }

    /// Encodes one picture: its whole unit, or `None` when the library dropped it.
    ///
    /// # Errors
    /// [`CodecError::Encode`] with the library's number.
    pub fn encode(
        &mut self,
        picture: &SourcePicture,
        key: bool,
    ) -> Result<Option<Vec<u8>>, CodecError> {
        let failure =
            |what: &str, code: c_int| Err(CodecError::Encode(format!("OpenH264 {what} ({code})")));
        if key {
            // SAFETY: the object is alive; -1 means every layer.
            let failed = unsafe { (self.table().force_intra)(self.object.as_ptr(), true, -1) };
            if failed != 0 {
                return failure("refuses a key frame", failed);
            }
        }
        let mut out = Block::<INFO_ROOM>::filled(0);
        // SAFETY: the object is initialized; the picture's planes outlive the call, which reads them; the block has
        // room for the longest description.
        let failed = unsafe {
            (self.table().encode)(self.object.as_ptr(), picture, (&raw mut out.0).cast())
        };
        if failed != 0 {
            return failure("failed", failed);
        }
        if out.int(self.layout.frame_type) == FRAME_SKIPPED {
            return Ok(None);
        }
        let mut unit = Vec::new();
        for layer in 0..usize::try_from(out.int(info::LAYERS)).unwrap_or(0).min(128) {
            let at = info::FIRST_LAYER + layer * self.layout.layer_bytes;
            let count = usize::try_from(out.int(at + info::NAL_COUNT)).unwrap_or(0);
            let (lengths, bytes) = (
                out.pointer::<c_int>(at + info::NAL_LENGTHS),
                out.pointer::<u8>(at + info::BYTES),
            );
            if count == 0 || lengths.is_null() || bytes.is_null() {
                continue;
            }
            // SAFETY: the library says that `count` lengths stand there and, behind one another, NAL units of these
            // lengths; both live until the next call.
            let layer = unsafe {
                let lengths = std::slice::from_raw_parts(lengths, count);
                let total = lengths
                    .iter()
                    .map(|&length| usize::try_from(length).unwrap_or(0))
                    .sum();
                std::slice::from_raw_parts(bytes, total)
            };
            unit.extend_from_slice(layer);
        }
        if unit.is_empty() {
            failure("gave no unit", 0)
        } else {
            Ok(Some(unit))
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the object is alive, and no one can use it after this.
        unsafe {
            if self.ready {
                (self.table().uninitialize)(self.object.as_ptr());
            }
            (self.destroy)(self.object.as_ptr());
        }
    }
}

#[cfg(test)]
mod tests;
