//! The last-thread watchdog: the agent ends when no other thread is left, for a process ends with the last thread of its program.
//!
//! The C library counts its threads and ends the process after the last one. One that ends by a
//! bare system call is seen by the kernel alone, which would go on for the agent's sake.

use crate::kernel;

/// Nanoseconds between two looks.
const EVERY: u64 = 500_000_000;

/// The other threads, as they were found the last time.
#[derive(Debug, Default)]
pub(crate) struct LastThreadWatchdog {
    due: u64,
    /// Whether there were others when the first thread had ended already.
    is_headless: bool,
}

impl LastThreadWatchdog {
    /// When the next look is due.
    pub(crate) fn due(&self) -> u64 {
        self.due
    }

    /// Looks if it is time to; answers with what status the process would have ended without the
    /// agent, if no other thread is left.
    pub(crate) fn look(&mut self, now: u64) -> Option<u8> {
        if now < self.due {
            return None;
        }
        self.due = now + EVERY;
        if !kernel::is_first_thread_over() {
            return None;
        }
        let mut text = [0; 1024];
        let length = kernel::read_file(c"/proc/self/stat", &mut text);
        self.judge(text.get(..length)?)
    }

    /// The kernel passes on the status of the thread that ends last, older ones that of the first
    /// thread, whatever is said here. Of another than the first it is not known; the C library's
    /// threads end with 0.
    fn judge(&mut self, stat: &[u8]) -> Option<u8> {
        // A process made by a bare system call has no list of robust locks either.
        if field(stat, STATE)? != b"Z" {
            return None;
        }
        // The first thread is counted until its process is no more.
        if number(stat, THREADS)? > 2 {
            self.is_headless = true;
            return None;
        }
        let status = (number(stat, STATUS)? >> 8) as u8;
        Some(if self.is_headless { 0 } else { status })
    }
}

/// Fields of the file, counted after the name.
const STATE: usize = 1;
const THREADS: usize = 18;
const STATUS: usize = 50;

fn number(stat: &[u8], index: usize) -> Option<u32> {
    core::str::from_utf8(field(stat, index)?).ok()?.parse().ok()
}

fn field(stat: &[u8], index: usize) -> Option<&[u8]> {
    // The name, in parentheses, may hold anything.
    let fields = stat.rsplit(|byte| *byte == b')').next()?;
    fields.split(|byte| byte.is_ascii_whitespace()).nth(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of the kernel's about so many threads, the first of which ended with `status`.
    fn stat(threads: u32, status: u32) -> Vec<u8> {
        let mut fields = vec!["1".to_owned(); 50];
        fields[STATE - 1] = "Z".to_owned();
        fields[THREADS - 1] = threads.to_string();
        fields[STATUS - 1] = (status << 8).to_string();
        format!("12 (a) b) (c) {}\n", fields.join(" ")).into_bytes()
    }

    #[test]
    fn the_first_thread_was_the_last() {
        let mut watchdog = LastThreadWatchdog::default();
        assert_eq!(watchdog.judge(&stat(2, 7)), Some(7));
    }

    #[test]
    fn others_outlive_the_first_thread() {
        let mut watchdog = LastThreadWatchdog::default();
        assert_eq!(watchdog.judge(&stat(3, 7)), None);
        assert_eq!(watchdog.judge(&stat(2, 7)), Some(0));
    }

    #[test]
    fn nothing_ends_while_the_first_thread_lives() {
        let text = String::from_utf8(stat(2, 0)).expect("it is text");
        assert_eq!(LastThreadWatchdog::default().judge(text.replace('Z', "S").as_bytes()), None);
    }

    #[test]
    fn nothing_is_concluded_from_nonsense() {
        let mut watchdog = LastThreadWatchdog::default();
        for text in [&b""[..], b"12 (name)", b"12 (name) Z 1 2 3", b") ) )"] {
            assert_eq!(watchdog.judge(text), None);
        }
    }
}
