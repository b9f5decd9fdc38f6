//! Shared libraries opened at run time. Nothing is linked, so the addon loads on a machine without them.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

/// An open library. Never closed: encoder code may still run on a thread of its own when the last handle goes.
#[derive(Debug, Clone, Copy)]
pub struct Library {
    handle: NonNull<c_void>,
}

// SAFETY: a dlopen handle is a token; dlsym may be called with it from any thread.
unsafe impl Send for Library {}
// SAFETY: as above; dlsym takes no exclusive access.
unsafe impl Sync for Library {}

impl Library {
    /// Opens by soname or path, its symbols kept out of the process's namespace.
    ///
    /// # Errors
    /// The loader's own words.
    pub fn open(name: &CStr) -> Result<Self, String> {
        // SAFETY: `name` is a C string. The library's constructors run; only codec libraries are named here.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        NonNull::new(handle)
            .map(|handle| Self { handle })
            .ok_or_else(loader_words)
    }

    /// A function of the library.
    ///
    /// # Errors
    /// The loader's own words when it has no such symbol.
    ///
    /// # Safety
    /// `F` must be the `extern "C" fn` type that the symbol has in this library.
    pub unsafe fn function<F: Copy>(&self, name: &CStr) -> Result<F, String> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        // SAFETY: the handle is open for ever and `name` is a C string.
        let symbol = unsafe { libc::dlsym(self.handle.as_ptr(), name.as_ptr()) };
        if symbol.is_null() {
            return Err(loader_words());
        }
        // SAFETY: the symbol is not null, and the caller says that it is an `F`, a function pointer of this size.
        Ok(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&symbol) })
    }
}

fn loader_words() -> String {
    // SAFETY: dlerror gives null or a C string that stays valid until the next call on this thread.
    let words = unsafe {
        let words = libc::dlerror();
        if words.is_null() {
            None
        } else {
            Some(CStr::from_ptr(words).to_string_lossy().into_owned())
        }
    };
    words.unwrap_or_else(|| "the loader gave no reason".into())
}

#[cfg(test)]
mod tests {
    use super::Library;

    #[test]
    fn a_library_that_is_not_there_is_named_in_words() {
        let words = Library::open(c"libno-such-codec.so.1").expect_err("there is none");
        assert!(words.contains("libno-such-codec.so.1"), "{words}");
    }

    #[test]
    fn a_symbol_that_is_not_there_is_named_in_words() {
        let library = Library::open(if cfg!(target_os = "macos") {
            c"libSystem.B.dylib"
        } else {
            c"libc.so.6"
        });
        let library = library.expect("the C library is everywhere");
        // SAFETY: there is no such symbol, so no function of a wrong type can come out.
        let symbol = unsafe { library.function::<unsafe extern "C" fn()>(c"no_such_function_264") };
        assert!(
            symbol
                .expect_err("there is none")
                .contains("no_such_function_264")
        );
    }
}
