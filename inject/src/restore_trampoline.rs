//! The code that puts a hijacked thread back into its state, also when whyperf is killed meanwhile.
//!
//! ```text
//!   code cave   in the padding behind some object's code, where nothing is ever executed
//!              system call: a page of code │ signal mask, registers, and back
//!   code       the page: system call │ call, a last harmless system call │ all registers, signal mask, and back
//! ```
//! A hijacked thread always stands in one of the two, and the remaining instructions restore its registers and its
//! signal mask. The tracer may therefore be killed at any moment: the kernel then lets the thread go where it stands.
//! The values are stored behind the instructions, so the instructions need no stack and no register.

use crate::thread_state::StoppedThread;
use crate::tracee::Registers;

/// Bytes that a code cave needs.
pub(crate) const CODE_CAVE: usize = 192;
/// Where the code page's part for the hijacked thread begins.
pub(crate) const TRAMPOLINE: u64 = TRAMPOLINE_AT as u64;
/// From there on: a system call.
pub(crate) const SYSTEM_CALL: u64 = TRAMPOLINE;
/// From there on: a call of what `rax` holds, and the system call that tells of its return.
pub(crate) const CALL: u64 = TRAMPOLINE + CALL_AT as u64;
/// Behind the system call that tells that the function has returned.
pub(crate) const RETURNED: u64 = CALL + 11;

/// Instructions and, behind them, the words they read.
struct TrampolineWriter {
    bytes: Vec<u8>,
    /// Where a word's distance is to be stored, and the word.
    open: Vec<(usize, u64)>,
}

/// The code cave of a thread: a system call, and how it goes on from there.
pub(crate) fn code_cave(state: &StoppedThread) -> Vec<u8> {
    let registers = state.alone();
    let mut writer = TrampolineWriter::new();
    writer.put(&SYSCALL);
    writer.unblock(state.blocked);
    let clobbered = [DI, SI, DX, R10, R8, R9, CX, R11, AX];
    clobbered.into_iter().for_each(|number| writer.load(number, &registers));
    writer.jump(registers.rip);
    writer.finish()
}

/// The code page's part for the hijacked thread.
pub(crate) fn code(state: &StoppedThread) -> Vec<u8> {
    let registers = state.alone();
    let mut writer = TrampolineWriter::new();
    writer.put(&SYSCALL);
    writer.put(&[0xeb, 0x10 - 4 + 11]); // jmp: past what follows
    writer.bytes.resize(CALL_AT, INT3);
    writer.put(&[0xff, 0xd0]); // call rax
    writer.put(&[0x89, 0xc7]); // mov edi, eax
    writer.put(&[0xb8]); // mov eax, getpid
    writer.put(&libc::SYS_getpid.to_le_bytes()[..4]);
    writer.put(&SYSCALL);
    writer.put(&[0xb8, 0xff, 0xff, 0xff, 0xff]); // mov eax, -1
    writer.put(&[0x89, 0xc2]); // mov edx, eax
    writer.put(&[0x48, 0x0f, 0xae, 0x2d]); // xrstor64 [rip + ...]
    let distance = EXTENDED - TRAMPOLINE_AT - writer.bytes.len();
    writer.put(&relative(distance));
    writer.load(SP, &registers);
    writer.unblock(state.blocked);
    writer.flags(registers.eflags);
    let others = (0..16).rev().filter(|number| *number != SP);
    others.for_each(|number| writer.load(number, &registers));
    writer.jump(registers.rip);
    let mut bytes = writer.finish();
    bytes.resize(EXTENDED - TRAMPOLINE_AT, INT3);
    bytes.extend(&state.extended);
    bytes
}

impl TrampolineWriter {
    const fn new() -> Self {
        Self { bytes: Vec::new(), open: Vec::new() }
    }

    fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// The distance to a word behind the instructions, which holds this.
    fn word(&mut self, value: u64) {
        self.open.push((self.bytes.len(), value));
        self.put(&[0; 4]);
    }

    /// mov register, [rip + ...]
    fn load(&mut self, number: u8, registers: &Registers) {
        self.put(&[0x48 | number >> 3 << 2, 0x8b, 0x05 | (number & 7) << 3]);
        self.word(value(number, registers));
    }

    /// jmp [rip + ...]
    fn jump(&mut self, to: u64) {
        self.put(&[0xff, 0x25]);
        self.word(to);
    }

    /// Signals that came meanwhile are delivered here, on the thread's own stack.
    fn unblock(&mut self, blocked: u64) {
        self.put(&[0xb8]); // mov eax, rt_sigprocmask
        self.put(&libc::SYS_rt_sigprocmask.to_le_bytes()[..4]);
        self.put(&[0xbf, 2, 0, 0, 0]); // mov edi, SIG_SETMASK
        self.put(&[0x48, 0x8d, 0x35]); // lea rsi, [rip + ...]
        self.word(blocked);
        self.put(&[0xba, 0, 0, 0, 0]); // mov edx, 0
        self.put(&[0x41, 0xba, 8, 0, 0, 0]); // mov r10d, 8
        self.put(&SYSCALL);
    }

    /// The flags of results and the direction of strings; no other one can be set.
    fn flags(&mut self, flags: u64) {
        self.put(&[0xb0, u8::from(flags & OVERFLOW != 0)]); // mov al, overflow
        self.put(&[0xb4, flags.to_le_bytes()[0]]); // mov ah, the others
        self.put(&[0x04, 0x7f]); // add al, 127: overflows if it is 1
        self.put(&[0x9e]); // sahf
        self.put(&[if flags & DIRECTION == 0 { 0xfc } else { 0xfd }]); // cld or std
    }

    /// The instructions with their words.
    fn finish(mut self) -> Vec<u8> {
        for (at, value) in std::mem::take(&mut self.open) {
            let distance = relative(self.bytes.len() - at);
            self.bytes[at..at + 4].copy_from_slice(&distance);
            self.bytes.extend(value.to_le_bytes());
        }
        self.bytes
    }
}

/// How a distance from where it is stored itself is written.
fn relative(distance: usize) -> [u8; 4] {
    u32::try_from(distance - 4).expect("a mapping of a few pages").to_le_bytes()
}

/// What a register is to hold, by the processor's number.
fn value(number: u8, r: &Registers) -> u64 {
    let values = [
        r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi, r.r8, r.r9, r.r10, r.r11, r.r12,
        r.r13, r.r14, r.r15,
    ];
    values[usize::from(number)]
}

/// Where the extended registers lie in the code's mapping.
const EXTENDED: usize = 0x1000;
const TRAMPOLINE_AT: usize = 0x200;
const CALL_AT: usize = 0x10;
const SYSCALL: [u8; 2] = [0x0f, 0x05];
const INT3: u8 = 0xcc;
/// Flags of the processor: strings are walked downwards; a result did not fit.
const DIRECTION: u64 = 0x400;
const OVERFLOW: u64 = 0x800;
const AX: u8 = 0;
const CX: u8 = 1;
const DX: u8 = 2;
const SP: u8 = 4;
const SI: u8 = 6;
const DI: u8 = 7;
const R8: u8 = 8;
const R9: u8 = 9;
const R10: u8 = 10;
const R11: u8 = 11;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracee::BLANK;

    fn state() -> StoppedThread {
        StoppedThread { registers: BLANK, extended: vec![7; 2688], blocked: 0 }
    }

    #[test]
    fn all_of_it_finds_room() {
        assert!(code_cave(&state()).len() <= CODE_CAVE);
        let code = code(&state());
        assert!(code.len() as u64 + TRAMPOLINE <= crate::stub::CODE);
        assert_eq!(code[EXTENDED - TRAMPOLINE_AT..], vec![7; 2688]);
    }
}
