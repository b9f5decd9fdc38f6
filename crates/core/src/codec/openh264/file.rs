//! A library from a file that is what it claims: what was hashed is what is loaded.

use std::ffi::CString;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsRawFd as _, IntoRawFd as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::codec::CodecError;
use crate::codec::dylib::Library;

/// SHA-256 of Cisco's own binaries of 2.6.0, which only their user may download: Linux on x64 and on arm64.
pub const KNOWN_HASHES: &[&str] = &[
    "2f0cde7c6a6abcf5cae76942894ea42897fa677bce4ed6c91a24dd1b041d5f04",
    "12e7b33623667cdab0e575170c147b1b36eadb77d0d2aa7ceb5afd3e58902140",
];

/// Largest library that is read to be hashed, in bytes; a real one has under 2 MB.
const LIBRARY_LIMIT_BYTES: u64 = 64 << 20;

/// Opens the library at `path` when its SHA-256 is one of `hashes`.
///
/// # Errors
/// [`CodecError::NoEncoder`] when it cannot be read or loaded, [`CodecError::UnknownBuild`] for another hash.
pub fn open(path: &Path, hashes: &[&str]) -> Result<Library, CodecError> {
    let shown = path.display();
    let unreadable =
        |error| CodecError::NoEncoder(format!("OpenH264 at {shown} cannot be read: {error}"));
    let mut file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    (&mut file)
        .take(LIBRARY_LIMIT_BYTES)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    let hash = hex(&Sha256::digest(&bytes));
    if !hashes.contains(&hash.as_str()) {
        return Err(CodecError::UnknownBuild(format!(
            "the file at {shown} is not Cisco's OpenH264 2.6.0: its SHA-256 is {hash}. Download that release for this \
             system, or leave the path out to use the distribution's own library"
        )));
    }
    let library = if cfg!(target_os = "linux") {
        // The descriptor stays open for good: the loader knows libraries by this name, and a number used again would
        // give the old library for a new file.
        let name = format!("/proc/self/fd/{}", file.as_raw_fd());
        let _ = file.into_raw_fd();
        open_path(Path::new(&name))
    } else {
        open_path(path)
    };
    library.map_err(|words| CodecError::NoEncoder(format!("OpenH264 at {shown}: {words}")))
}

fn open_path(path: &Path) -> Result<Library, String> {
    let name = CString::new(path.as_os_str().as_bytes())
        .map_err(|_| "the path holds a zero byte".to_owned())?;
    Library::open(&name)
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}
