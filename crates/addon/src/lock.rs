//! A lock on a file that ends with the process, whatever ends it.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::{Mutex, PoisonError};

use napi::bindgen_prelude::Result;
use napi_derive::napi;

use crate::values::words;

/// Every held lock. Here and not in the JavaScript object, whose collection must not release it.
static HELD: Mutex<Vec<(u32, File)>> = Mutex::new(Vec::new());

/// A held lock.
#[napi(js_name = "BindingLock")]
pub struct Lock {
    id: u32,
}

#[napi]
impl Lock {
    /// Lets go of it; a second call does nothing.
    #[napi]
    pub fn release(&self) {
        HELD.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|(id, _)| *id != self.id);
    }
}

/// flock(2), exclusive, without waiting: null when another holds it. Held until `release()` or the
/// process's end.
///
/// # Errors
/// In words, when the file cannot be opened or locked.
#[napi]
pub fn lock(path: String) -> Result<Option<Lock>> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(libc::O_CLOEXEC | libc::O_NOFOLLOW)
        .open(&path)
        .map_err(|why| words(format!("the lock file {path} could not be opened: {why}")))?;
    // SAFETY: a plain system call on a descriptor that we hold.
    if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } != 0 {
        let why = io::Error::last_os_error();
        if why.kind() == io::ErrorKind::WouldBlock {
            return Ok(None);
        }
        return Err(words(format!(
            "the lock file {path} could not be locked: {why}"
        )));
    }
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let id = held.iter().map(|(id, _)| id + 1).max().unwrap_or(0);
    held.push((id, file));
    Ok(Some(Lock { id }))
}
