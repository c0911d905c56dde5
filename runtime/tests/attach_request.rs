//! Attach requests as the library receives them: it reads its own memory alone, and each process answers its own, whatever
//! signal comes late.

#![cfg(not(loom))]

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use whyperf_layout::attach_request::{
    AttachOptions, MARK_OF_MEMORY, Mailbox, RequestNumber, SIGNAL,
};
use whyperf_runtime::attach_request::{AttachOutcome, listen};
use whyperf_runtime::environ::Late;

static BEGUN: AtomicU32 = AtomicU32::new(0);

#[test]
fn only_what_lies_in_its_memory_for_this_process_is_answered() {
    assert!(listen(begin), "the signal is in use");
    let memory = OwnMailbox::find();
    let (own, late, other) = (RequestNumber::new(2), RequestNumber::new(4), RequestNumber::new(6));
    // Nothing lies there, then the request of a process that forked this one, then one whose signal was late.
    answers_nothing(&memory, own);
    memory.put(std::process::id() + 1, other);
    answers_nothing(&memory, other);
    memory.put(std::process::id(), own);
    answers_nothing(&memory, late);
    // Half of another request was written over this one.
    memory.file.write_all_at(b"/etc", memory.at + 72).expect("it is ours");
    answers_nothing(&memory, own);
    assert_eq!(BEGUN.load(Relaxed), 0);
    memory.put(std::process::id(), own);
    while own.outcome(memory.word(Mailbox::ANSWER)).is_none() {
        signal(own.signal_value());
        thread::yield_now();
    }
    let answer = own.outcome(memory.word(Mailbox::ANSWER));
    assert_eq!(answer, Some(AttachOutcome::Measured as u32));
    // It was answered: the same signal once more does nothing.
    answers_nothing(&memory, own);
    assert_eq!(BEGUN.load(Relaxed), 1);
}

/// Signals until the thread that reads the mailbox has been there and is gone.
fn answers_nothing(memory: &OwnMailbox, number: RequestNumber) {
    let words = || [Mailbox::RECEIVED, Mailbox::ANSWER].map(|at| memory.word(at));
    let before = words();
    let threads = || fs::read_dir("/proc/self/task").expect("this process runs").count();
    let all = threads();
    signal(number.signal_value());
    while threads() > all {
        thread::yield_now();
    }
    assert_eq!(words(), before);
}

fn begin(late: &Late<'_>, _: AttachOptions) -> AttachOutcome {
    assert_eq!(late.directory, b"/dev/shm/x");
    BEGUN.fetch_add(1, Relaxed);
    AttachOutcome::Measured
}

/// The mailbox of this process, written as whyperf writes it: from outside.
struct OwnMailbox {
    file: File,
    at: u64,
}

impl OwnMailbox {
    fn find() -> Self {
        let file = File::options().read(true).write(true).open("/proc/self/mem");
        let maps = fs::read_to_string("/proc/self/maps").expect("this process runs");
        let page = maps.lines().find(|line| line.contains(" -w-p ")).expect("it listens");
        let end = page.split(['-', ' ']).nth(1).expect("a line of the map has an end");
        let end = u64::from_str_radix(end, 16).expect("an address");
        let own = Self { file: file.expect("it is ours"), at: end + MARK_OF_MEMORY.len() as u64 };
        let mut mark = [0; MARK_OF_MEMORY.len()];
        own.file.read_exact_at(&mut mark, end).expect("the mailbox follows");
        assert_eq!(mark, MARK_OF_MEMORY);
        own
    }

    fn put(&self, process: u32, number: RequestNumber) {
        let mailbox = Mailbox::new(process, b"/dev/shm/x", &[], AttachOptions::default());
        let mut mailbox = mailbox.expect("the path is short");
        mailbox.close(number);
        self.file.write_all_at(mailbox.bytes(), self.at).expect("it is ours");
    }

    fn word(&self, at: usize) -> u64 {
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, self.at + at as u64).expect("it is ours");
        u64::from_le_bytes(bytes)
    }
}

/// Sends this thread the signal, as whyperf sends it to a thread of another process; it is handled before the call returns.
fn signal(value: u64) {
    // SAFETY: a structure of integers, for which zero is valid.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    info.si_signo = SIGNAL;
    info.si_code = libc::SI_QUEUE;
    // SAFETY: the kernel reads the fourth word of the structure as the value, and has a handler for the signal.
    let sent = unsafe {
        (&raw mut info).cast::<u64>().add(3).write(value);
        let (process, thread) = (libc::getpid(), libc::gettid());
        libc::syscall(libc::SYS_rt_tgsigqueueinfo, process, thread, SIGNAL, &raw const info)
    };
    assert_eq!(sent, 0);
}
