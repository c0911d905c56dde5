//! Wrappers of calls that read or write one character: an event only where the stream's buffer has no character, or no room
//! for one.
//!
//! Programs call these for every byte, and an event costs ten times as much as the call. The call that matters fills or
//! empties the buffer, so only that is recorded, with the bytes that went through. The look into the buffer takes no lock:
//! a wrong answer records one call more or less.

use core::ffi::c_void;

use whyperf_layout::Moved;

use super::file::stream;
use crate::next::Next;

/// Exports `name(arguments)` on a stream; `$quick` says whether its buffer will do.
macro_rules! character {
    ($($name:ident($($argument:ident),*) => $kind:ident, $file:expr, $quick:ident, $moved:ident;)*) => {
        $(
            mod $name {
                use super::*;

                pub(super) static NEXT: Next = Next::new($crate::wrapped::c_name!($name));
                static REGION: whyperf_runtime::Region = whyperf_runtime::Region::new(
                    $crate::wrapped::c_name!($name),
                    whyperf_layout::Kind::$kind,
                );

                pub(super) unsafe extern "C" fn wrapper($($argument: usize),*) -> usize {
                    let real = || $crate::wrapped::real!(NEXT, $($argument),*);
                    if !whyperf_runtime::measurement::is_measured() {
                        return real();
                    }
                    let file = $file;
                    // SAFETY: null or the stream that the program uses, which is open.
                    if file == 0 || unsafe { Buffer::$quick(file) } {
                        return real();
                    }
                    // SAFETY: as above.
                    let before = unsafe { Buffer::of(file) };
                    // SAFETY: as above.
                    let moved = |result| unsafe { before.$moved(file, result) };
                    // SAFETY: as above.
                    let object = || unsafe { stream(file) };
                    $crate::wrapped::observe(&REGION, object, real, moved)
                }
            }
        )*

        $crate::stub::entry! { $($name => $name::wrapper, before $name::NEXT;)* }

        /// Looks every function of this table up.
        pub(crate) fn resolve() {
            $($name::NEXT.address();)*
            STANDARD_INPUT.address();
            STANDARD_OUTPUT.address();
        }
    };
}

character! {
    fgetc(file) => Read, file, has_character, filled;
    getc(file) => Read, file, has_character, filled;
    _IO_getc(file) => Read, file, has_character, filled;
    getchar() => Read, standard(&STANDARD_INPUT), has_character, filled;
    fputc(character, file) => Write, file, has_room, emptied;
    putc(character, file) => Write, file, has_room, emptied;
    _IO_putc(character, file) => Write, file, has_room, emptied;
    putchar(character) => Write, standard(&STANDARD_OUTPUT), has_room, emptied;
}

/// The variables `stdin` and `stdout`.
static STANDARD_INPUT: Next = Next::inner(c"stdin");
static STANDARD_OUTPUT: Next = Next::inner(c"stdout");

/// The stream that such a variable holds.
fn standard(variable: &Next) -> usize {
    let variable = variable.address().cast::<*mut c_void>();
    if variable.is_null() {
        return 0;
    }
    // SAFETY: the C library's own variable of this type, never unloaded.
    unsafe { variable.read_volatile() as usize }
}

/// The head of a `FILE`: its flags, and the pointers that programs compiled with the C library's
/// own inline functions use as well, so that they stay where they are.
#[derive(Clone, Copy)]
#[repr(C)]
struct Buffer {
    flags: i32,
    read: usize,
    read_end: usize,
    read_base: usize,
    write_base: usize,
    write: usize,
    write_end: usize,
}

impl Buffer {
    /// # Safety
    /// It must be an open stream, as for all of these.
    #[inline(always)]
    unsafe fn of(file: usize) -> Self {
        // SAFETY: the caller's promise.
        unsafe { (file as *const Self).read_volatile() }
    }

    /// # Safety
    /// As for [`Buffer::of`].
    #[inline(always)]
    unsafe fn has_character(file: usize) -> bool {
        // SAFETY: the caller's promise.
        let buffer = unsafe { Self::of(file) };
        buffer.read < buffer.read_end
    }

    /// # Safety
    /// As for [`Buffer::of`].
    #[inline(always)]
    unsafe fn has_room(file: usize) -> bool {
        // SAFETY: the caller's promise.
        let buffer = unsafe { Self::of(file) };
        buffer.write < buffer.write_end
    }

    /// After a read: the character that it answered, and what else came into the buffer.
    ///
    /// # Safety
    /// As for [`Buffer::of`].
    unsafe fn filled(self, file: usize, result: usize) -> Moved {
        // SAFETY: the caller's promise.
        let after = unsafe { Self::of(file) };
        let rest = after.read_end.saturating_sub(after.read) as u64;
        let come = if (result as i32) < 0 { 0 } else { rest.saturating_add(1) };
        Moved { r#in: come, out: 0 }
    }

    /// After a write: what was in the buffer and is no more, and the character if it is not.
    ///
    /// # Safety
    /// As for [`Buffer::of`].
    unsafe fn emptied(self, file: usize, result: usize) -> Moved {
        if (result as i32) < 0 {
            return Moved::default();
        }
        let before = self.write.saturating_sub(self.write_base).saturating_add(1);
        // SAFETY: the caller's promise.
        let after = unsafe { Self::of(file) };
        let gone = before.saturating_sub(after.write.saturating_sub(after.write_base));
        Moved { out: gone as u64, r#in: 0 }
    }
}
