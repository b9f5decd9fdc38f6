//! The shared-memory region a device writes its pixels into.
//!
//! We make the file: exclusively, readable by nobody else, sized once and its pages reserved. It is
//! never a Rust slice, since another process writes it at any time; bytes leave it by copies that
//! the compiler treats as opaque (`rep movsb`, or volatile loads). A file that shrinks is an error
//! in words and never ends the process (see [`Fault`]).

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

use super::{Fault, copy};

/// The largest region: 8K in RGBA with room. Keeps a wrong number from taking the machine's memory.
const MAX_BYTES: usize = 256 << 20;

/// What is wrong with a region, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegionError {
    /// A size of zero or beyond every screen.
    #[error(
        "a shared-memory region of {0} bytes makes no sense: it must have 1 to {MAX_BYTES} bytes"
    )]
    Size(usize),
    /// Something is in the file's place.
    #[error(
        "{0} exists already: remove it if no device server uses it, or choose another run folder"
    )]
    Exists(PathBuf),
    /// The file could not be made, opened or mapped.
    #[error("the shared-memory file {path} could not be {what}: {why}")]
    Io {
        /// The file.
        path: PathBuf,
        /// "made", "sized", "opened" or "mapped".
        what: &'static str,
        /// As the system says it.
        why: String,
    },
    /// A frame or a file of another size.
    #[error("{need} bytes do not fit the shared-memory file, which has {have}")]
    DoesNotFit {
        /// Bytes asked for.
        need: usize,
        /// Bytes there.
        have: usize,
    },
    /// Someone truncated the file.
    #[error(
        "the shared-memory file {path} shrank to {have} bytes while it was in use (it had {need}): the device must be attached again"
    )]
    Shrank {
        /// The file.
        path: PathBuf,
        /// Its size when it was mapped.
        need: usize,
        /// Its size now.
        have: u64,
    },
    /// More regions at once than any server has.
    #[error("too many shared-memory regions are open in this process")]
    TooMany,
}

/// A mapped file: the part that both sides share.
#[derive(Debug)]
struct Mapping {
    start: NonNull<u8>,
    len: usize,
    fault: Option<Fault>,
    file: File,
    path: PathBuf,
}

// SAFETY: the mapping is plain memory of this process; every access is a copy through a raw pointer,
// and what another thread or process writes meanwhile only changes the copied bytes.
unsafe impl Send for Mapping {}
// SAFETY: as above; there is no interior state but the kernel's.
unsafe impl Sync for Mapping {}

impl Mapping {
    fn new(file: File, path: &Path, len: usize) -> Result<Self, RegionError> {
        // SAFETY: a fresh mapping of a file that we hold open; no reference is ever formed to it.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        let failed = |why: io::Error| failure(path, "mapped", &why);
        if start == libc::MAP_FAILED {
            return Err(failed(io::Error::last_os_error()));
        }
        let Some(start) = NonNull::new(start.cast::<u8>()) else {
            return Err(failed(io::Error::other("mapped at address zero")));
        };
        let mut mapping = Self {
            start,
            len,
            fault: None,
            file,
            path: path.to_owned(),
        };
        mapping.fault =
            Some(Fault::guard(start.as_ptr() as usize, len).ok_or(RegionError::TooMany)?);
        Ok(mapping)
    }

    /// Does the file still have all its bytes, and did every access so far find its page?
    fn check(&self) -> Result<(), RegionError> {
        let have = self.file.metadata().map_or(0, |data| data.len());
        let broken = self.fault.as_ref().is_some_and(Fault::broken);
        if broken || have < self.len as u64 {
            return Err(RegionError::Shrank {
                path: self.path.clone(),
                need: self.len,
                have,
            });
        }
        Ok(())
    }

    fn span(&self, offset: usize, bytes: usize) -> Result<NonNull<u8>, RegionError> {
        let end = offset.saturating_add(bytes);
        if end > self.len {
            return Err(RegionError::DoesNotFit {
                need: end,
                have: self.len,
            });
        }
        // SAFETY: offset is within the mapping, as checked above.
        Ok(unsafe { self.start.add(offset) })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // The guard goes first: after munmap the address may belong to someone else.
        self.fault = None;
        // SAFETY: the mapping made in `new`, unmapped once.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.len) };
    }
}

fn failure(path: &Path, what: &'static str, why: &io::Error) -> RegionError {
    RegionError::Io {
        path: path.to_owned(),
        what,
        why: why.to_string(),
    }
}

/// A region that we made and read. Dropping it unmaps and removes the file.
#[derive(Debug)]
pub struct Region {
    mapping: Mapping,
    inode: (u64, u64),
}

impl Region {
    /// Makes the file: exclusive, 0600, sized once, pages reserved.
    ///
    /// # Errors
    /// In words, when the path exists, the size makes no sense or the file system has no room.
    pub fn create(path: &Path, bytes: usize) -> Result<Self, RegionError> {
        if bytes == 0 || bytes > MAX_BYTES {
            return Err(RegionError::Size(bytes));
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .custom_flags(libc::O_CLOEXEC | libc::O_NOFOLLOW)
            .open(path)
            .map_err(|why| match why.kind() {
                io::ErrorKind::AlreadyExists => RegionError::Exists(path.to_owned()),
                _ => failure(path, "made", &why),
            })?;
        Self::size_and_map(file, path, bytes).inspect_err(|_| {
            // Ours: made exclusively a moment ago.
            let _ = std::fs::remove_file(path);
        })
    }

    fn size_and_map(file: File, path: &Path, bytes: usize) -> Result<Self, RegionError> {
        file.set_len(bytes as u64)
            .map_err(|why| failure(path, "sized", &why))?;
        reserve(&file, bytes).map_err(|why| failure(path, "sized", &why))?;
        let meta = file
            .metadata()
            .map_err(|why| failure(path, "opened", &why))?;
        let inode = (meta.dev(), meta.ino());
        Ok(Self {
            mapping: Mapping::new(file, path, bytes)?,
            inode,
        })
    }

    /// Bytes in the region.
    #[must_use]
    pub fn len(&self) -> usize {
        self.mapping.len
    }

    /// Never true: a region has at least one byte.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.mapping.len == 0
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.mapping.path
    }

    /// Where it is mapped, for measurements against a plain copy. Another process may write it at any time.
    #[must_use]
    pub fn start(&self) -> *const u8 {
        self.mapping.start.as_ptr()
    }

    /// Is the file still whole? Called before and after the copies of a frame.
    ///
    /// # Errors
    /// [`RegionError::Shrank`].
    pub fn check(&self) -> Result<(), RegionError> {
        self.mapping.check()
    }

    /// Asks the CPU to fetch bytes that will be read soon; no more than a hint.
    pub fn prefetch(&self, offset: usize, bytes: usize) {
        let bytes = bytes.min(self.mapping.len.saturating_sub(offset));
        copy::prefetch(
            self.mapping
                .start
                .as_ptr()
                .wrapping_add(offset.min(self.mapping.len)),
            bytes,
        );
    }

    /// Copies bytes out, as they are at this moment; another process may be writing them.
    ///
    /// # Errors
    /// [`RegionError::DoesNotFit`]. A file that shrank gives zeros; [`Region::check`] then tells.
    pub fn read(&self, offset: usize, to: &mut [u8]) -> Result<(), RegionError> {
        let from = self.mapping.span(offset, to.len())?;
        // SAFETY: `span` checked the range; the destination is private memory.
        unsafe { copy::opaque(from.as_ptr(), to.as_mut_ptr(), to.len()) };
        Ok(())
    }
}

impl Region {
    /// Removes the file; the mapping stays until the region is dropped. A second call does nothing.
    pub fn remove(&self) {
        // Only the file that we made: a replaced one belongs to someone else.
        let same = std::fs::symlink_metadata(&self.mapping.path)
            .is_ok_and(|meta| (meta.dev(), meta.ino()) == self.inode);
        if same {
            let _ = std::fs::remove_file(&self.mapping.path);
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        self.remove();
    }
}

/// The device's side: an existing region, to write frames into (the test phone's).
#[derive(Debug)]
pub struct RegionWriter {
    mapping: Mapping,
}

impl RegionWriter {
    /// Opens a region that a client made.
    ///
    /// # Errors
    /// In words, when it is not there or has fewer than `bytes` bytes.
    pub fn open(path: &Path, bytes: usize) -> Result<Self, RegionError> {
        if bytes == 0 || bytes > MAX_BYTES {
            return Err(RegionError::Size(bytes));
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_CLOEXEC | libc::O_NOFOLLOW)
            .open(path)
            .map_err(|why| failure(path, "opened", &why))?;
        let have = file
            .metadata()
            .map_err(|why| failure(path, "opened", &why))?
            .len();
        if have < bytes as u64 {
            let have = usize::try_from(have).unwrap_or(usize::MAX);
            return Err(RegionError::DoesNotFit { need: bytes, have });
        }
        Ok(Self {
            mapping: Mapping::new(file, path, bytes)?,
        })
    }

    /// Bytes in the region.
    #[must_use]
    pub fn len(&self) -> usize {
        self.mapping.len
    }

    /// Never true: a region has at least one byte.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.mapping.len == 0
    }

    /// Writes bytes; whoever reads meanwhile sees some of them.
    ///
    /// # Errors
    /// [`RegionError::DoesNotFit`], or [`RegionError::Shrank`] when the file was truncated.
    pub fn write(&self, offset: usize, from: &[u8]) -> Result<(), RegionError> {
        self.mapping.check()?;
        let to = self.mapping.span(offset, from.len())?;
        // SAFETY: `span` checked the range; the source is private memory. The copy is opaque to the
        // compiler, as for reading.
        unsafe { copy::opaque(from.as_ptr(), to.as_ptr(), from.len()) };
        self.mapping.check()
    }
}

/// Reserves the pages: a full file system is then an error here and not a fault at the first write.
#[cfg(target_os = "linux")]
fn reserve(file: &File, bytes: usize) -> io::Result<()> {
    let Ok(len) = libc::off_t::try_from(bytes) else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    // SAFETY: a plain system call on a descriptor that we hold.
    if unsafe { libc::fallocate(file.as_raw_fd(), 0, 0, len) } == 0 {
        return Ok(());
    }
    let why = io::Error::last_os_error();
    match why.raw_os_error() {
        // File systems without it fill pages at first use, which the fault guard covers.
        Some(libc::EOPNOTSUPP | libc::ENOSYS) => Ok(()),
        _ => Err(why),
    }
}

#[cfg(not(target_os = "linux"))]
fn reserve(_file: &File, _bytes: usize) -> io::Result<()> {
    Ok(())
}
