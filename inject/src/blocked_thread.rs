//! The stack of a thread that waits in the kernel, read without touching the thread.
//!
//! ```text
//!   times it got a processor ─► where its call returns to ─► its stack ─► times it got a processor
//!          n                        rsp, rip                                      n: nothing moved
//! ```
//! The system tells where such a thread will go on and where its stack is; the values of its other registers are known only
//! where a function saved them on the stack.

use std::fs;

use crate::memory::Memory;
use crate::schedstat::Schedstat;
use crate::walk::{REGISTERS, RETURN, STACK_POINTER, StackCopy};

/// What a thread does.
#[derive(Debug)]
pub(crate) enum ThreadSnapshot {
    /// It runs, or wants to; or it did while it was looked at.
    Running,
    /// It waits in the kernel, with this stack.
    Blocked(Box<StackCopy>),
    /// It is gone, or nothing is told of it.
    Unknown,
}

impl ThreadSnapshot {
    /// Of a thread now.
    pub(crate) fn of(pid: u32, tid: u32, memory: &Memory) -> Self {
        let turns = || Schedstat::of(pid, tid).map(|counted| counted.turns);
        let before = turns();
        let Ok(text) = fs::read_to_string(format!("/proc/{pid}/task/{tid}/syscall")) else {
            return Self::Unknown;
        };
        if text.starts_with("running") {
            return Self::Running;
        }
        let Some((stack_pointer, instruction)) = place(&text) else { return Self::Unknown };
        let mut registers = [None; REGISTERS];
        registers[STACK_POINTER] = Some(stack_pointer);
        registers[RETURN] = Some(instruction);
        let stack = StackCopy::of_memory(registers, memory);
        let is_still = before.is_some() && before == turns();
        if is_still { Self::Blocked(Box::new(stack)) } else { Self::Running }
    }
}

/// Stack pointer and instruction pointer: the last two words of `number arguments... sp pc`.
fn place(text: &str) -> Option<(u64, u64)> {
    let mut words = text.split_ascii_whitespace().rev();
    let mut word = || u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
    let instruction = word()?;
    Some((word()?, instruction))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::maps::ProcessMaps;
    use crate::walk::Images;

    #[test]
    fn the_place_is_the_end_of_the_line() {
        let line = "0 0x0 0x7ffd 0x1 0x0 0x0 0x0 0x7ffd10 0x7f0c20\n";
        assert_eq!(place(line), Some((0x7ffd10, 0x7f0c20)));
        assert_eq!(place("-1 0x7ffd10 0x7f0c20\n"), Some((0x7ffd10, 0x7f0c20)));
        assert_eq!(place("running\n"), None);
    }

    #[test]
    fn a_thread_that_waits_for_input_is_seen_to_its_beginning() {
        let mut command = Command::new("cat");
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("every system has `cat`");
        let pid = child.id();
        let memory = Memory::open(pid).expect("it is our child");
        let is_whole = || {
            let ThreadSnapshot::Blocked(stack) = ThreadSnapshot::of(pid, pid, &memory) else {
                return false;
            };
            let maps = ProcessMaps::of(pid);
            let (frames, is_whole) = Images::new(&maps, &memory).walk(&stack);
            is_whole && frames.len() > 2
        };
        while !is_whole() {
            std::thread::yield_now();
        }
        drop(child.stdin.take());
        assert!(child.wait().expect("it is ours").success());
    }
}
