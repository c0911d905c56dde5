//! Finds out what a thread waits for in the kernel, from the system call that it is in.
//!
//! ```text
//!   /proc/PID/task/TID/syscall     running        it runs, or waits for a processor
//!                                  -1 sp pc       a fault: its page is being brought in
//!                                  7 0x... ...    a call and its arguments, which name what it waits for
//!   cannot be read                 stat           R, or anything else
//! ```

use std::fs::{self, File};
use std::io::{self, Read};

use crate::pipe_ends::pipe_number;
use crate::stat::Stat;

/// What a thread does that may have no processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadWait {
    /// It runs, or waits for a processor.
    Runnable,
    /// It waits in the kernel for something else.
    Blocked {
        /// For what.
        reason: WaitReason,
        /// The number of the pipe, if it waits for one.
        pipe: Option<u64>,
    },
}

/// For what a thread waits in the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitReason {
    /// Until some time has passed.
    Sleep,
    /// For one of several files, sockets or timers.
    Poll,
    /// For data of a socket, or room in it.
    Socket,
    /// For data of a pipe, or room in it.
    Pipe,
    /// For somebody at a terminal.
    Terminal,
    /// For data of a file.
    Read,
    /// For room to write to a file.
    Write,
    /// For what was written to reach the device.
    Flush,
    /// For a directory, or for what there is to know of a file.
    Metadata,
    /// For another thread, by a lock of the program's own or of its language.
    Futex,
    /// For another process to end.
    Child,
    /// For a signal.
    Signal,
    /// For memory that was not there.
    Paging,
    /// For anything else, or for what is not to be known.
    Other,
}

impl WaitReason {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Sleep,
        Self::Poll,
        Self::Socket,
        Self::Pipe,
        Self::Terminal,
        Self::Read,
        Self::Write,
        Self::Flush,
        Self::Metadata,
        Self::Futex,
        Self::Child,
        Self::Signal,
        Self::Paging,
        Self::Other,
    ];

    /// Its name, as in `/SyncObject/Sleep`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sleep => "Sleep",
            Self::Poll => "Poll",
            Self::Socket => "Socket",
            Self::Pipe => "Pipe",
            Self::Terminal => "Terminal",
            Self::Read => "Read",
            Self::Write => "Write",
            Self::Flush => "Flush",
            Self::Metadata => "Metadata",
            Self::Futex => "Futex",
            Self::Child => "Child",
            Self::Signal => "Signal",
            Self::Paging => "Paging",
            Self::Other => "Kernel",
        }
    }
}

impl ThreadWait {
    /// Of a thread now; `None` when it is gone.
    #[must_use]
    pub fn of(pid: u32, tid: u32) -> Option<Self> {
        let mut bytes = [0; LINE];
        match line(&format!("/proc/{pid}/task/{tid}/syscall"), &mut bytes) {
            Ok(text) => Self::parse(text, |descriptor| target(pid, descriptor)),
            Err(_) => {
                let state = Stat::of_thread(pid, tid).filter(Stat::is_alive)?;
                let other = Self::Blocked { reason: WaitReason::Other, pipe: None };
                Some(if state.is_runnable() { Self::Runnable } else { other })
            }
        }
    }

    /// What the text of such a file says, where `target` tells what a descriptor is open on.
    fn parse(text: &str, target: impl FnOnce(u64) -> Option<String>) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let Some(number) = words.next().and_then(|word| word.parse::<i64>().ok()) else {
            return Some(Self::Runnable);
        };
        let hexadecimal = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
        let arguments: Vec<u64> = words.map_while(hexadecimal).collect();
        let first = arguments.first().copied().unwrap_or(0);
        let is_none = |at: usize| arguments.get(at).is_none_or(|argument| *argument == 0);
        // One that ended has no stack any more.
        let has_ended = number == -1 && is_none(0);
        let mut pipe = None;
        let reason = match number {
            -1 => WaitReason::Paging,
            libc::SYS_nanosleep | libc::SYS_clock_nanosleep => WaitReason::Sleep,
            libc::SYS_poll | libc::SYS_ppoll if is_none(1) => WaitReason::Sleep,
            libc::SYS_select | libc::SYS_pselect6 if is_none(0) => WaitReason::Sleep,
            libc::SYS_poll
            | libc::SYS_ppoll
            | libc::SYS_select
            | libc::SYS_pselect6
            | libc::SYS_epoll_wait
            | libc::SYS_epoll_pwait
            | libc::SYS_epoll_pwait2
            | libc::SYS_io_uring_enter => WaitReason::Poll,
            libc::SYS_futex | libc::SYS_futex_waitv => WaitReason::Futex,
            libc::SYS_wait4 | libc::SYS_waitid => WaitReason::Child,
            libc::SYS_pause | libc::SYS_rt_sigsuspend | libc::SYS_rt_sigtimedwait => {
                WaitReason::Signal
            }
            libc::SYS_accept
            | libc::SYS_accept4
            | libc::SYS_connect
            | libc::SYS_recvfrom
            | libc::SYS_recvmsg
            | libc::SYS_recvmmsg
            | libc::SYS_sendto
            | libc::SYS_sendmsg
            | libc::SYS_sendmmsg => WaitReason::Socket,
            _ => match file_reason(number) {
                Some(WaitReason::Metadata) => WaitReason::Metadata,
                Some(of_file) => target(first).map_or(WaitReason::Other, |open| {
                    pipe = pipe_number(&open);
                    kind(&open, of_file)
                }),
                None => WaitReason::Other,
            },
        };
        (!has_ended).then_some(Self::Blocked { reason, pipe })
    }
}

/// Room for a number, nine words, and what is between them.
const LINE: usize = 256;

/// Reads a line at once: a thread is looked at in many passes, so each system call counts.
fn line<'bytes>(path: &str, bytes: &'bytes mut [u8; LINE]) -> io::Result<&'bytes str> {
    let length = File::open(path)?.read(bytes)?;
    str::from_utf8(&bytes[..length]).map_err(|_| io::ErrorKind::InvalidData.into())
}

fn target(pid: u32, descriptor: u64) -> Option<String> {
    let target = fs::read_link(format!("/proc/{pid}/fd/{descriptor}")).ok()?;
    Some(target.to_string_lossy().into_owned())
}

/// For what of a file a call waits, if it is open on one.
const fn file_reason(number: i64) -> Option<WaitReason> {
    Some(match number {
        libc::SYS_read | libc::SYS_readv | libc::SYS_pread64 | libc::SYS_preadv => WaitReason::Read,
        libc::SYS_preadv2 | libc::SYS_splice | libc::SYS_sendfile => WaitReason::Read,
        libc::SYS_write | libc::SYS_writev | libc::SYS_pwrite64 => WaitReason::Write,
        libc::SYS_pwritev | libc::SYS_pwritev2 | libc::SYS_fallocate => WaitReason::Write,
        libc::SYS_fsync | libc::SYS_fdatasync | libc::SYS_sync_file_range => WaitReason::Flush,
        libc::SYS_open | libc::SYS_openat | libc::SYS_openat2 | libc::SYS_creat => {
            WaitReason::Metadata
        }
        libc::SYS_stat | libc::SYS_lstat | libc::SYS_fstat | libc::SYS_newfstatat => {
            WaitReason::Metadata
        }
        libc::SYS_statx | libc::SYS_access | libc::SYS_faccessat | libc::SYS_faccessat2 => {
            WaitReason::Metadata
        }
        libc::SYS_getdents | libc::SYS_getdents64 | libc::SYS_readlink | libc::SYS_readlinkat => {
            WaitReason::Metadata
        }
        libc::SYS_unlink | libc::SYS_unlinkat | libc::SYS_rmdir => WaitReason::Metadata,
        libc::SYS_mkdir | libc::SYS_mkdirat => WaitReason::Metadata,
        libc::SYS_rename | libc::SYS_renameat | libc::SYS_renameat2 => WaitReason::Metadata,
        libc::SYS_link | libc::SYS_linkat | libc::SYS_symlink | libc::SYS_symlinkat => {
            WaitReason::Metadata
        }
        libc::SYS_truncate | libc::SYS_ftruncate => WaitReason::Metadata,
        _ => return None,
    })
}

/// What a descriptor is open on, by what its link says; a call on a file waits for what it says.
fn kind(open: &str, of_file: WaitReason) -> WaitReason {
    match open {
        _ if open.starts_with("socket:") => WaitReason::Socket,
        _ if open.starts_with("pipe:") => WaitReason::Pipe,
        _ if open.starts_with("/dev/pts/") || open.starts_with("/dev/tty") => WaitReason::Terminal,
        _ if open.starts_with("anon_inode:") => WaitReason::Poll,
        _ => of_file,
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_line_says_for_what_a_thread_waits() {
        let of = |text: &str, open: &str| ThreadWait::parse(text, |_| Some(open.to_owned()));
        assert_eq!(of("running\n", ""), Some(ThreadWait::Runnable));
        assert_eq!(of("-1 0x0 0x0\n", ""), None, "it ended");
        for (text, open, reason) in [
            ("-1 0x7ffd10 0x7f0c20\n", "", WaitReason::Paging),
            ("230 0x1 0x0 0x7ffd 0x0 0x0 0x0 0x7ffd10 0x7f0c20", "", WaitReason::Sleep),
            ("7 0x0 0x0 0x64 0x0 0x0 0x0 0x7ffd10 0x7f0c20", "", WaitReason::Sleep),
            ("7 0x7ffd 0x1 0x64 0x0 0x0 0x0 0x7ffd10 0x7f0c20", "", WaitReason::Poll),
            ("0 0x3 0x7ffd 0x1 0x0 0x0 0x0 0x7ffd10 0x7f0c20", "pipe:[17]", WaitReason::Pipe),
            ("0 0x3 0x7ffd 0x1 0x0 0x0 0x0 0x7ffd10 0x7f0c20", "/dev/pts/1", WaitReason::Terminal),
            ("1 0x3 0x7ffd 0x1 0x0 0x0 0x0 0x7ffd10 0x7f0c20", "socket:[5]", WaitReason::Socket),
            ("0 0x3 0x7ffd 0x1 0x0 0x0 0x0 0x7ffd10 0x7f0c20", "/data/x", WaitReason::Read),
            ("1 0x3 0x7ffd 0x1 0x0 0x0 0x0 0x7ffd10 0x7f0c20", "/data/x", WaitReason::Write),
            ("74 0x3 0x0 0x0 0x0 0x0 0x0 0x7ffd10 0x7f0c20", "/data/x", WaitReason::Flush),
            ("217 0x3 0x7ffd 0x8000 0x0 0x0 0x0 0x7ffd10 0x7f0c20", "", WaitReason::Metadata),
            (
                "262 0xffffff9c 0x7ffd 0x7ffe 0x0 0x0 0x0 0x7ffd10 0x7f0c20",
                "",
                WaitReason::Metadata,
            ),
            ("202 0x7f 0x80 0x0 0x0 0x0 0x0 0x7ffd10 0x7f0c20", "", WaitReason::Futex),
            ("61 0x10 0x0 0x0 0x0 0x0 0x0 0x7ffd10 0x7f0c20", "", WaitReason::Child),
            ("999 0x0\n", "", WaitReason::Other),
        ] {
            let pipe = (reason == WaitReason::Pipe).then_some(17);
            assert_eq!(of(text, open), Some(ThreadWait::Blocked { reason, pipe }), "{text}");
        }
    }

    #[test]
    fn a_child_that_waits_for_input_waits_for_a_pipe() {
        let mut command = Command::new("cat");
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        let mut child = child.expect("every system has `cat`");
        let pid = child.id();
        let is_at_pipe =
            |wait| matches!(wait, ThreadWait::Blocked { reason: WaitReason::Pipe, pipe: Some(_) });
        while !ThreadWait::of(pid, pid).is_some_and(is_at_pipe) {
            std::thread::yield_now();
        }
        drop(child.stdin.take());
        assert!(child.wait().expect("it is ours").success());
        assert_eq!(ThreadWait::of(u32::MAX, u32::MAX), None);
    }
}
