//! The wrapper of `backtrace`: the program is told its own frames, and none of the library's.
//!
//! ```text
//!   f ◄── where f returns to is ours while f is measured ◄── main        told: f, main
//!   backtrace's wrapper ◄── f                                            told: f
//! ```

use core::ops::Range;

use crate::next::Next;
use crate::wrapped::real;

static NEXT: Next = Next::new(c"backtrace");

crate::stub::entry! { backtrace => wrapper, before NEXT; }

/// Looks the function up.
pub(crate) fn resolve() {
    NEXT.address();
}

/// # Safety
/// `buffer` must be room for `size` addresses.
unsafe extern "C" fn wrapper(buffer: usize, size: usize) -> usize {
    let count = real!(NEXT, buffer, size);
    let own = code();
    let frames = buffer as *mut usize;
    let mut kept = 0;
    for at in 0..usize::try_from(count as i32).unwrap_or(0) {
        // SAFETY: the real function filled so many.
        let frame = unsafe { frames.add(at).read() };
        if !own.contains(&frame) {
            // SAFETY: not behind the one that was read.
            unsafe { frames.add(kept).write(frame) };
            kept += 1;
        }
    }
    kept
}

// SAFETY: the linker defines it at the beginning of the object, for this object alone.
unsafe extern "C" {
    static __ehdr_start: libc::Elf64_Ehdr;
}

/// Where the library's code is.
fn code() -> Range<usize> {
    let header = &raw const __ehdr_start;
    let base = header.cast::<u8>();
    // SAFETY: the first mapping of an object begins with its header, and holds the table of its segments.
    let (table, count) = unsafe { (base.add((*header).e_phoff as usize), (*header).e_phnum) };
    let table = table.cast::<libc::Elf64_Phdr>();
    // SAFETY: inside the table.
    let mut segments = (0..usize::from(count)).map(|at| unsafe { table.add(at).read() });
    let is_code = |segment: &libc::Elf64_Phdr| {
        segment.p_type == libc::PT_LOAD && segment.p_flags & libc::PF_X != 0
    };
    segments.find(is_code).map_or(0..0, |code| {
        let begin = base.addr().wrapping_add(code.p_vaddr as usize);
        begin..begin.wrapping_add(code.p_memsz as usize)
    })
}
