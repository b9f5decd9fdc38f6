//! Touching a mapped file that another process may shrink.
//!
//! A load from a page past the file's end raises SIGBUS and would end the whole process. The file's
//! length is checked before each frame, but a check cannot close the gap between it and the loads,
//! and a file that has a path cannot be sealed. So one process-wide SIGBUS handler stands behind:
//! a fault inside a registered mapping puts a private zero page there and marks the mapping as
//! broken; the interrupted load then goes on, and its caller reports the mark as an error. A fault
//! anywhere else goes to whoever handled SIGBUS before us.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// Mappings that may be live at once in one process; tests open several, a server one.
const SLOTS: usize = 64;

struct Slot {
    /// Zero: free. One: being filled. Else the mapping's address.
    start: AtomicUsize,
    len: AtomicUsize,
    broken: AtomicBool,
}

static TABLE: [Slot; SLOTS] = [const {
    Slot {
        start: AtomicUsize::new(0),
        len: AtomicUsize::new(0),
        broken: AtomicBool::new(false),
    }
}; SLOTS];
static PAGE: AtomicUsize = AtomicUsize::new(4096);
static PREVIOUS: AtomicPtr<libc::sigaction> = AtomicPtr::new(std::ptr::null_mut());
static INSTALLED: Once = Once::new();

/// A registered mapping; dropping it forgets the mapping, which must still be mapped then.
#[derive(Debug)]
pub struct Fault {
    slot: usize,
}

impl Fault {
    /// Guards a mapping. `None` when too many are guarded at once.
    #[must_use]
    pub fn guard(start: usize, len: usize) -> Option<Self> {
        INSTALLED.call_once(install);
        let slot = TABLE.iter().position(|slot| {
            slot.start
                .compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        })?;
        let entry = &TABLE[slot];
        entry.len.store(len, Ordering::Relaxed);
        entry.broken.store(false, Ordering::Relaxed);
        entry.start.store(start, Ordering::Release);
        Some(Self { slot })
    }

    /// Did a load or store hit a page that the file no longer has? Stays true for this mapping.
    #[must_use]
    pub fn broken(&self) -> bool {
        TABLE[self.slot].broken.load(Ordering::Acquire)
    }
}

impl Drop for Fault {
    fn drop(&mut self) {
        TABLE[self.slot].start.store(0, Ordering::Release);
    }
}

fn install() {
    // SAFETY: plain libc calls with valid pointers; the handler only touches statics and calls mmap
    // and sigaction, which are system calls without locks.
    unsafe {
        let page = libc::sysconf(libc::_SC_PAGESIZE);
        if let Ok(page) = usize::try_from(page) {
            PAGE.store(page, Ordering::Relaxed);
        }
        let mut previous: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGBUS, std::ptr::null(), &raw mut previous);
        PREVIOUS.store(Box::into_raw(Box::new(previous)), Ordering::Release);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut());
    }
}

extern "C" fn on_fault(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the kernel hands a valid siginfo to a SA_SIGINFO handler.
    let address = unsafe { (*info).si_addr() } as usize;
    for slot in &TABLE {
        let start = slot.start.load(Ordering::Acquire);
        if start > 1 && address >= start && address - start < slot.len.load(Ordering::Relaxed) {
            let page = PAGE.load(Ordering::Relaxed);
            // SAFETY: replaces one page of a mapping that its owner keeps mapped while it is in the
            // table; nothing in Rust holds a reference into it.
            let mapped = unsafe {
                libc::mmap(
                    (address & !(page - 1)) as *mut libc::c_void,
                    page,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                    -1,
                    0,
                )
            };
            if mapped != libc::MAP_FAILED {
                slot.broken.store(true, Ordering::Release);
                return;
            }
        }
    }
    pass_on(signal, info, context);
}

/// Hands a fault that is not ours to the handler before us; the default ends the process.
fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let previous = PREVIOUS.load(Ordering::Acquire);
    // SAFETY: the pointer is null or a leaked box that is never freed; the handler's address came
    // from the kernel and is called the way its own flags say.
    unsafe {
        let handler = previous
            .as_ref()
            .map_or(libc::SIG_DFL, |action| action.sa_sigaction);
        if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
            // Returning runs the faulting instruction again, now with the default action.
            libc::signal(signal, libc::SIG_DFL);
        } else if (*previous).sa_flags & libc::SA_SIGINFO != 0 {
            type Full = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
            std::mem::transmute::<usize, Full>(handler)(signal, info, context);
        } else {
            std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(handler)(signal);
        }
    }
}
