//! The code that loads the library in a fresh thread of the process: a few instructions, and the memory they work on.
//!
//! ```text
//!   code   the instructions below, and the restore trampoline of the hijacked thread
//!   data   block of words │ request │ paths │ numbers of threads │ ... │ stack of the hijacked thread
//! ```
//! A fresh thread loads the library, so that it waits for no lock of a stopped one. It begins when the hijacked thread goes
//! on, waits until whyperf has read the result, and unmaps both mappings with its last call, which returns to the C
//! library. When it does not get the word to begin, it leaves both: the hijacked thread may still be in the restore
//! trampoline.

/// Bytes of the data, its stack included.
pub(crate) const DATA: u64 = 0x20000;
/// Bytes of the code.
pub(crate) const CODE: u64 = 0x5000;

/// Words of the block, by number.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub(crate) enum Word {
    /// 0 while it works, 1 when the library's entry has returned, 2 when loading failed.
    State = 0,
    /// What the entry returned.
    Answer = 1,
    /// Stored by us: everything was read.
    Seen = 2,
    /// `dlopen`.
    Open = 3,
    /// `dlsym`.
    Find = 4,
    /// `dlerror`.
    Complain = 5,
    /// `pthread_self`.
    Myself = 6,
    /// `pthread_detach`.
    Detach = 7,
    /// `usleep`.
    Sleep = 8,
    /// `munmap`.
    Unmap = 9,
    /// The library's path.
    Path = 10,
    /// The name of its entry.
    Name = 11,
    /// The entry's argument.
    Request = 12,
    /// The entry, where the library is loaded already.
    Entry = 13,
    /// The mapping of the data.
    DataBase = 14,
    /// Its size.
    DataSize = 15,
    /// The mapping of the code.
    CodeBase = 16,
    /// Stored by us: the hijacked thread goes on, and the work may begin.
    Go = 17,
    /// What the dynamic linker complained of.
    Complaint = 18,
    /// Stored by us: the entry is not to be called any more.
    Cancelled = 19,
}

impl Word {
    /// How far into the data it lies.
    pub(crate) const fn offset(self) -> u64 {
        self as u64 * 8
    }
}

/// The offsets of everything else in the data.
pub(crate) const THREAD: u64 = 0x100;
pub(crate) const REQUEST: u64 = 0x200;
pub(crate) const PATH: u64 = 0x1000;
pub(crate) const DIRECTORY: u64 = 0x2000;
pub(crate) const NAME: u64 = 0x3000;
pub(crate) const THREADS: u64 = 0x4000;
/// Numbers of threads that find room.
pub(crate) const MOST_THREADS: usize = 4096;

/// The function that the fresh thread begins with; its argument is the data.
#[rustfmt::skip]
pub(crate) const INSTRUCTIONS: [u8; 221] = [
    0x53,                                           // push rbx
    0x41, 0x54,                                     // push r12
    0x48, 0x83, 0xec, 0x08,                         // sub rsp, 8
    0x48, 0x89, 0xfb,                               // mov rbx, rdi
    0xff, 0x53, 0x30,                               // call [rbx + Myself]
    0x48, 0x89, 0xc7,                               // mov rdi, rax
    0xff, 0x53, 0x38,                               // call [rbx + Detach]
    0x41, 0xbc, 0x50, 0xc3, 0x00, 0x00,             // mov r12d, 50000
    0x48, 0x83, 0xbb, 0x88, 0x00, 0x00, 0x00, 0x00, // early: cmp qword [rbx + Go], 0
    0x75, 0x12,                                     // jne go
    0xbf, 0xc8, 0x00, 0x00, 0x00,                   // mov edi, 200
    0xff, 0x53, 0x40,                               // call [rbx + Sleep]
    0x41, 0xff, 0xcc,                               // dec r12d
    0x75, 0xe9,                                     // jne early
    0xe9, 0xa0, 0x00, 0x00, 0x00,                   // jmp quit
    0x48, 0x8b, 0x43, 0x68,                         // go: mov rax, [rbx + Entry]
    0x48, 0x85, 0xc0,                               // test rax, rax
    0x75, 0x20,                                     // jne have
    0x48, 0x8b, 0x7b, 0x50,                         // mov rdi, [rbx + Path]
    0xbe, 0x02, 0x00, 0x00, 0x00,                   // mov esi, RTLD_NOW
    0xff, 0x53, 0x18,                               // call [rbx + Open]
    0x48, 0x85, 0xc0,                               // test rax, rax
    0x74, 0x2c,                                     // je failed
    0x48, 0x89, 0xc7,                               // mov rdi, rax
    0x48, 0x8b, 0x73, 0x58,                         // mov rsi, [rbx + Name]
    0xff, 0x53, 0x20,                               // call [rbx + Find]
    0x48, 0x85, 0xc0,                               // test rax, rax
    0x74, 0x1d,                                     // je failed
    0x48, 0x83, 0xbb, 0x98, 0x00, 0x00, 0x00, 0x00, // have: cmp qword [rbx + Cancelled], 0
    0x75, 0x24,                                     // jne finish
    0x48, 0x8b, 0x7b, 0x60,                         // mov rdi, [rbx + Request]
    0xff, 0xd0,                                     // call rax
    0x48, 0x89, 0x43, 0x08,                         // mov [rbx + Answer], rax
    0x48, 0xc7, 0x03, 0x01, 0x00, 0x00, 0x00,       // mov qword [rbx + State], 1
    0xeb, 0x11,                                     // jmp finish
    0xff, 0x53, 0x28,                               // failed: call [rbx + Complain]
    0x48, 0x89, 0x83, 0x90, 0x00, 0x00, 0x00,       // mov [rbx + Complaint], rax
    0x48, 0xc7, 0x03, 0x02, 0x00, 0x00, 0x00,       // mov qword [rbx + State], 2
    0x41, 0xbc, 0x10, 0x27, 0x00, 0x00,             // finish: mov r12d, 10000
    0x48, 0x83, 0x7b, 0x10, 0x00,                   // again: cmp qword [rbx + Seen], 0
    0x75, 0x0d,                                     // jne leave
    0xbf, 0xe8, 0x03, 0x00, 0x00,                   // mov edi, 1000
    0xff, 0x53, 0x40,                               // call [rbx + Sleep]
    0x41, 0xff, 0xcc,                               // dec r12d
    0x75, 0xec,                                     // jne again
    0x48, 0x8b, 0x83, 0x80, 0x00, 0x00, 0x00,       // leave: mov rax, [rbx + CodeBase]
    0x48, 0x89, 0x04, 0x24,                         // mov [rsp], rax
    0x4c, 0x8b, 0x63, 0x48,                         // mov r12, [rbx + Unmap]
    0x48, 0x8b, 0x7b, 0x70,                         // mov rdi, [rbx + DataBase]
    0x48, 0x8b, 0x73, 0x78,                         // mov rsi, [rbx + DataSize]
    0x41, 0xff, 0xd4,                               // call r12
    0x48, 0x8b, 0x3c, 0x24,                         // mov rdi, [rsp]
    0xbe, 0x00, 0x50, 0x00, 0x00,                   // mov esi, CODE
    0x4c, 0x89, 0xe0,                               // mov rax, r12
    0x48, 0x83, 0xc4, 0x08,                         // add rsp, 8
    0x41, 0x5c,                                     // pop r12
    0x5b,                                           // pop rbx
    0xff, 0xe0,                                     // jmp rax
    0x48, 0x83, 0xc4, 0x08,                         // quit: add rsp, 8
    0x41, 0x5c,                                     // pop r12
    0x5b,                                           // pop rbx
    0xc3,                                           // ret
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_its_place() {
        assert!(Word::Cancelled.offset() + 8 <= THREAD);
        assert!(THREADS + 4 * MOST_THREADS as u64 + 0x8000 <= DATA);
        assert!(INSTRUCTIONS.len() as u64 <= crate::restore_trampoline::TRAMPOLINE);
    }
}
