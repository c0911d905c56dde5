//! Processes and threads that call themselves by the numbers of a PID namespace of their own, as containers have one: found by what they are.

use std::fs;
use std::path::Path;

use crate::memory_map::{FileName, MemoryMap};
use crate::status::ProcessStatus;
use crate::threads;

/// The number by which this process sees the one that has this file mapped and calls itself by a number of another namespace; `None` where it
/// is the process of that very number, or cannot be seen.
///
/// The program that it runs tells most processes at a glance; what costs more is asked of others only.
#[must_use]
pub fn process_elsewhere(stated: u32, program: &Path, mapped: &Path) -> Option<u32> {
    if fs::read_link(format!("/proc/{stated}/exe")).is_ok_and(|exe| exe == program) {
        return None;
    }
    let file = FileName::of(mapped)?;
    if has_mapped(stated, &file) {
        return None;
    }
    let entries = fs::read_dir("/proc").ok()?.flatten();
    let mut numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.find(|pid| {
        let status = ProcessStatus::of(&pid.to_string());
        status.is_some_and(|status| status.inner_number() == Some(stated))
            && has_mapped(*pid, &file)
    })
}

/// The number by which this process sees a thread that calls itself by this one.
#[must_use]
pub fn thread_elsewhere(pid: u32, stated: u32) -> Option<u32> {
    threads::of(pid).into_iter().find(|tid| {
        let status = ProcessStatus::of_thread(pid, *tid);
        status.is_some_and(|status| status.inner_number() == Some(stated))
    })
}

/// The number by which a process calls itself.
pub(crate) fn own_number(pid: u32) -> u32 {
    let status = ProcessStatus::of(&pid.to_string());
    status.and_then(|status| status.inner_number()).unwrap_or(pid)
}

/// The numbers by which threads of a process call themselves.
pub(crate) fn own_numbers(pid: u32, threads: &[u32]) -> Vec<u32> {
    let own = |tid: &u32| ProcessStatus::of_thread(pid, *tid)?.inner_number();
    threads.iter().map(|tid| own(tid).unwrap_or(*tid)).collect()
}

fn has_mapped(pid: u32, file: &FileName) -> bool {
    let map = MemoryMap::of(pid);
    let files = map.stretches().iter().filter_map(|stretch| stretch.file.as_ref());
    // Its own path to it may be another one.
    files.into_iter().any(|mapped| mapped.device == file.device && mapped.inode == file.inode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_its_own_number_is_not_elsewhere() {
        let (own, nowhere) = (std::process::id(), Path::new("/nowhere"));
        let program = std::env::current_exe().expect("a test has a file");
        assert_eq!(process_elsewhere(own, &program, nowhere), None);
        assert_eq!(process_elsewhere(own, nowhere, &program), None, "it has it mapped");
        assert_eq!(process_elsewhere(u32::MAX, nowhere, &program), None, "nobody is called so");
    }
}
