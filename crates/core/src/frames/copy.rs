//! Copies between private memory and memory that another process may write at the same time.
//!
//! Rust's own copies may assume that the source holds still, which it does not here. These are blocks
//! that the compiler does not look into, or volatile accesses; they cost no more than a plain copy.

const CACHE_LINE: usize = 64;

/// Asks the CPU to fetch bytes that will be read soon; no more than a hint.
pub(super) fn prefetch(start: *const u8, bytes: usize) {
    for at in (0..bytes).step_by(CACHE_LINE) {
        prefetch_line(start.wrapping_add(at));
    }
}

#[cfg(target_arch = "x86_64")]
fn prefetch_line(address: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
    // SAFETY: a prefetch reads nothing and faults at no address.
    unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) };
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
fn prefetch_line(address: *const u8) {
    // SAFETY: a prefetch reads nothing and faults at no address.
    unsafe {
        std::arch::asm!("prfm pldl2keep, [{}]", in(reg) address, options(nostack, readonly, preserves_flags));
    }
}

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", not(miri)))))]
fn prefetch_line(_address: *const u8) {}

/// Copies between private memory and memory that another process writes.
///
/// # Safety
/// Both ranges are mapped for the whole length and do not overlap.
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(super) unsafe fn opaque(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise. The compiler sees an opaque block that reads and writes memory,
    // so it may not assume that the source holds still.
    unsafe {
        std::arch::asm!(
            "rep movsb",
            inout("rcx") bytes => _,
            inout("rsi") from => _,
            inout("rdi") to => _,
            options(nostack, preserves_flags),
        );
    }
}

/// As above: 64 bytes at a time, of any alignment, in a block that the compiler does not look into.
///
/// # Safety
/// Both ranges are mapped for the whole length and do not overlap.
#[cfg(all(target_arch = "aarch64", not(miri)))]
pub(super) unsafe fn opaque(from: *const u8, to: *mut u8, bytes: usize) {
    let whole = bytes / 64 * 64;
    // SAFETY: the caller's promise; the loop moves exactly `whole` bytes, and runs only for at least one block.
    unsafe {
        if whole > 0 {
            std::arch::asm!(
                "2:",
                "ldp q0, q1, [{from}], #32",
                "ldp q2, q3, [{from}], #32",
                "stp q0, q1, [{to}], #32",
                "stp q2, q3, [{to}], #32",
                "subs {left}, {left}, #64",
                "b.ne 2b",
                from = inout(reg) from => _,
                to = inout(reg) to => _,
                left = inout(reg) whole => _,
                out("v0") _, out("v1") _, out("v2") _, out("v3") _,
                options(nostack),
            );
        }
        copy_bytes(from, to, whole, bytes);
    }
}

/// As above, on other CPUs.
///
/// # Safety
/// Both ranges are mapped for the whole length and do not overlap.
#[cfg(any(not(any(target_arch = "x86_64", target_arch = "aarch64")), miri))]
pub(super) unsafe fn opaque(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { copy_bytes(from, to, 0, bytes) };
}

/// Volatile, byte by byte.
///
/// # Safety
/// Both ranges are mapped up to `end` and do not overlap.
#[cfg(any(not(target_arch = "x86_64"), miri))]
unsafe fn copy_bytes(from: *const u8, to: *mut u8, start: usize, end: usize) {
    for at in start..end {
        // SAFETY: the caller's promise.
        unsafe { to.add(at).write_volatile(from.add(at).read_volatile()) };
    }
}
