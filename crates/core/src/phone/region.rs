//! The shared-memory region a client made: written by copies, never seen as a Rust slice, since another process reads it.

use std::ffi::CString;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::ptr::NonNull;

/// A mapping that pictures are written into.
pub struct Region {
    start: NonNull<u8>,
    bytes: usize,
    file: OwnedFd,
}

// SAFETY: the mapping belongs to this value alone on this side, and is only written through `&mut self`.
unsafe impl Send for Region {}

fn last_error() -> std::io::Error {
    std::io::Error::last_os_error()
}

impl Region {
    /// Maps a client's file.
    ///
    /// # Errors
    /// In words, when it cannot be opened or is smaller than `bytes`.
    pub fn open(path: &Path, bytes: usize) -> Result<Self, String> {
        let name = CString::new(path.as_os_str().as_encoded_bytes())
            .map_err(|_| "The region's path has a zero byte.".to_owned())?;
        // SAFETY: `name` is a C string that lives over the call.
        let raw = unsafe {
            libc::open(
                name.as_ptr(),
                libc::O_RDWR | libc::O_CLOEXEC | libc::O_NOFOLLOW,
            )
        };
        if raw < 0 {
            return Err(format!(
                "The region {} cannot be opened: {}.",
                path.display(),
                last_error()
            ));
        }
        // SAFETY: `raw` is a fresh descriptor that nothing else owns.
        let file = unsafe { OwnedFd::from_raw_fd(raw) };
        let size = size_of(&file)?;
        if bytes == 0 || size < bytes {
            return Err(format!(
                "The region {} holds {size} bytes; {bytes} are needed.",
                path.display()
            ));
        }
        // SAFETY: a shared mapping of a file that was just checked to hold `bytes`; the result is checked below.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(format!(
                "The region {} cannot be mapped: {}.",
                path.display(),
                last_error()
            ));
        }
        let start = NonNull::new(start.cast()).ok_or("The region was mapped at nothing.")?;
        Ok(Self { start, bytes, file })
    }

    /// Copies bytes in at an offset.
    ///
    /// # Errors
    /// In words, when they do not fit or the file has shrunk under the mapping.
    pub fn write(&mut self, offset: usize, data: &[u8]) -> Result<(), String> {
        let end = offset
            .checked_add(data.len())
            .filter(|end| *end <= self.bytes);
        if end.is_none() {
            return Err(format!(
                "The picture needs {} bytes; the region holds {}.",
                offset + data.len(),
                self.bytes
            ));
        }
        // Touching a page past the file's end kills the process, so a file that was cut is found before.
        if size_of(&self.file)? < self.bytes {
            return Err("The region's file was cut while it was in use.".to_owned());
        }
        // SAFETY: offset + len is inside the mapping (checked above), and `data` cannot overlap it.
        unsafe {
            std::ptr::copy_nonoverlapping(
                data.as_ptr(),
                self.start.as_ptr().add(offset),
                data.len(),
            )
        };
        Ok(())
    }
}

fn size_of(file: &OwnedFd) -> Result<usize, String> {
    // SAFETY: an all-zero stat is a valid value to be filled in.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the descriptor is open and `stat` is writable.
    if unsafe { libc::fstat(file.as_raw_fd(), &raw mut stat) } != 0 {
        return Err(format!(
            "The region's size cannot be read: {}.",
            last_error()
        ));
    }
    usize::try_from(stat.st_size).map_err(|_| "The region's size makes no sense.".to_owned())
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: exactly the mapping made in `open`, unmapped once.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str, bytes: u64) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("phone-region-{}-{name}", std::process::id()));
        std::fs::File::create(&path)
            .unwrap()
            .set_len(bytes)
            .unwrap();
        path
    }

    #[test]
    fn what_is_written_is_in_the_file() {
        let path = scratch("write", 8192);
        let mut region = Region::open(&path, 8000).unwrap();
        region.write(100, &[1, 2, 3]).unwrap();
        assert_eq!(std::fs::read(&path).unwrap()[99..104], [0, 1, 2, 3, 0]);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn too_small_too_far_and_cut_are_errors_in_words() {
        let path = scratch("bounds", 4096);
        assert!(Region::open(&path, 5000).err().unwrap().contains("4096"));
        let mut region = Region::open(&path, 4096).unwrap();
        assert!(region.write(4090, &[0; 10]).unwrap_err().contains("4100"));
        std::fs::OpenOptions::new()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(10)
            .unwrap();
        assert!(region.write(0, &[0; 10]).unwrap_err().contains("cut"));
        std::fs::remove_file(path).unwrap();
    }
}
