//! The arguments of one call, and what is behind those that are addresses.
//!
//! # Idea
//! A wrapper has machine words only; its line of the table says which of them is a communicator, a count or an address. The
//! code that makes a [`ArgumentWords`] promises that the table is right about them. Two types say what may be read, and when:
//!
//! | type | the call | may be read |
//! |---|---|---|
//! | [`ArgumentWords`] | was made | what the program passes |
//! | [`Answered`] | has returned and wrote what it answers | also its results, and what its handles stand for |

use core::ffi::{CStr, c_char};
use core::ops::Deref;

use super::call::{Act, Arguments, MpiFunction, Position};
use super::dialect::Dialect;

/// The arguments of one call of one function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArgumentWords<'a> {
    call: &'static MpiFunction,
    words: &'a [usize],
    dialect: &'static Dialect,
}

/// The arguments of a call that has returned: its handles were valid, its results are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered<'a>(ArgumentWords<'a>);

impl<'a> ArgumentWords<'a> {
    /// The arguments of a call of `call`.
    ///
    /// # Safety
    /// The program must be making this call now, with these words, of the MPI of this dialect.
    #[inline(always)]
    pub(crate) const unsafe fn of(
        call: &'static MpiFunction,
        words: &'a [usize],
        dialect: &'static Dialect,
    ) -> Self {
        Self { call, words, dialect }
    }

    /// The function.
    #[inline(always)]
    pub(crate) const fn call(&self) -> &'static MpiFunction {
        self.call
    }

    /// What it does.
    #[inline(always)]
    pub(crate) const fn act(&self) -> Act {
        self.call.act
    }

    /// How the MPI represents the arguments.
    #[inline(always)]
    pub(crate) const fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// Positions of the arguments.
    #[inline(always)]
    pub(crate) const fn at(&self) -> &'static Arguments {
        &self.call.at
    }

    /// An argument as it came, 0 when the function has none.
    #[inline(always)]
    pub(crate) fn word(&self, at: Position) -> usize {
        self.words.get(at.index()).copied().unwrap_or(0)
    }

    /// An argument of type `int`.
    #[inline(always)]
    pub(crate) fn int(&self, at: Position) -> i32 {
        self.word(at) as i32
    }

    /// A handle.
    #[inline(always)]
    pub(crate) fn handle(&self, at: Position) -> usize {
        self.dialect.handle(self.word(at))
    }

    /// A count, `int` or `MPI_Count` as the function has it; negative ones count as none.
    #[inline(always)]
    pub(crate) fn count(&self, at: Position) -> u64 {
        let word = self.word(at);
        // The count of a partitioned message is wide without saying so in its name.
        let is_wide = self.call.wide || self.at().partitions.is_present();
        let count = if is_wide { word as i64 } else { i64::from(word as i32) };
        u64::try_from(count).unwrap_or(0)
    }

    /// The handle at an address, 0 where the program passes none.
    ///
    /// # Safety
    /// The argument must be the address of a handle that is no file.
    #[inline(always)]
    pub(crate) unsafe fn handle_behind(&self, at: Position) -> usize {
        let address = self.word(at);
        // SAFETY: the caller's promise; a null address would have failed before us.
        if address == 0 { 0 } else { unsafe { self.dialect.handle_at(address, 0) } }
    }

    /// The same for files, whose handles are addresses in every MPI.
    ///
    /// # Safety
    /// The argument must be the address of a file.
    #[inline(always)]
    pub(crate) unsafe fn file_behind(&self, at: Position) -> usize {
        let address = self.word(at);
        // SAFETY: the caller's promise.
        if address == 0 { 0 } else { unsafe { *(address as *const usize) } }
    }

    /// A text, empty where the program passes none.
    ///
    /// # Safety
    /// The argument must be the address of a C string.
    pub(crate) unsafe fn text(&self, at: Position) -> &'a [u8] {
        let text = self.word(at) as *const c_char;
        // SAFETY: the caller's promise; the string lives as long as the call.
        if text.is_null() { &[] } else { unsafe { CStr::from_ptr(text) }.to_bytes() }
    }

    /// How many requests the call works on.
    #[inline(always)]
    pub(crate) fn requests(&self) -> usize {
        let length = self.at().length;
        if length.is_present() { usize::try_from(self.int(length)).unwrap_or(0) } else { 1 }
    }

    /// One of its requests.
    ///
    /// # Safety
    /// `index` must be below [`Self::requests`], and `request` must be where they are.
    #[inline(always)]
    pub(crate) unsafe fn request(&self, index: usize) -> usize {
        // SAFETY: the caller's promise: the program passes that many.
        unsafe { self.dialect.handle_at(self.word(self.at().request), index) }
    }
}

impl<'a> Answered<'a> {
    /// A call that has returned.
    ///
    /// # Safety
    /// It must have succeeded, or have answered that the statuses tell which requests failed.
    #[inline(always)]
    pub(crate) const unsafe fn new(words: ArgumentWords<'a>) -> Self {
        Self(words)
    }

    /// An `int` that the call wrote.
    ///
    /// # Safety
    /// The argument must be the address of an `int`, or of a list with more than `index` of them.
    #[inline(always)]
    pub(crate) unsafe fn written(&self, at: Position, index: usize) -> i32 {
        // SAFETY: the caller's promise.
        unsafe { *(self.word(at) as *const i32).add(index) }
    }

    /// Whether the flag that the call wrote, if it has one, is set.
    #[inline(always)]
    pub(crate) fn is_flagged(&self) -> bool {
        let flag = self.at().flag;
        // SAFETY: the argument of this name is the address of an `int` in every function.
        !flag.is_present() || unsafe { self.written(flag, 0) } != 0
    }
}

impl<'a> Deref for Answered<'a> {
    type Target = ArgumentWords<'a>;

    #[inline(always)]
    fn deref(&self) -> &ArgumentWords<'a> {
        &self.0
    }
}
