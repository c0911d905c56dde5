//! Attach requests as the library receives them: each process answers its own, whatever signal comes late.

use std::fs::File;
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use whyperf_layout::attach_request::{AttachOptions, Mailbox, MailboxAddress, SIGNAL};
use whyperf_runtime::attach_request::{AttachOutcome, listen};
use whyperf_runtime::environ::Late;

static BEGUN: AtomicU32 = AtomicU32::new(0);

#[test]
fn a_late_signal_does_not_answer_for_another_process() {
    assert!(listen(begin), "the signal is in use");
    let (own, other) = (mailbox(std::process::id()), mailbox(std::process::id() + 1));
    signal(&other);
    // While the thread that reads the other mailbox has not ended no thread is started.
    while word(&own, Mailbox::ANSWER) == 0 {
        signal(&own);
        thread::yield_now();
    }
    assert_eq!(word(&own, Mailbox::ANSWER), AttachOutcome::Measured as u32 + 1);
    assert_eq!((word(&other, Mailbox::RECEIVED), word(&other, Mailbox::ANSWER)), (0, 0));
    assert_eq!(BEGUN.load(Relaxed), 1);
}

fn begin(_: &Late<'_>, _: AttachOptions) -> AttachOutcome {
    BEGUN.fetch_add(1, Relaxed);
    AttachOutcome::Measured
}

fn mailbox(process: u32) -> File {
    let mailbox =
        Mailbox::new(process, b"/", &[], AttachOptions::default()).expect("the path is short");
    // SAFETY: the name is a string, and nothing else has the descriptor.
    let file = unsafe { File::from_raw_fd(libc::memfd_create(c"mailbox".as_ptr(), 0)) };
    file.write_all_at(mailbox.bytes(), 0).expect("it is in memory");
    file
}

fn word(file: &File, at: u64) -> u32 {
    let mut bytes = [0; 4];
    file.read_exact_at(&mut bytes, at).expect("it is in memory");
    u32::from_le_bytes(bytes)
}

/// Tells this thread of a mailbox, as whyperf tells a thread of another process; it is handled before the call returns.
fn signal(file: &File) {
    let descriptor = u32::try_from(file.as_raw_fd()).expect("it is open");
    let address = MailboxAddress { process: std::process::id(), descriptor };
    // SAFETY: a structure of integers, for which zero is valid.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    info.si_signo = SIGNAL;
    info.si_code = libc::SI_QUEUE;
    let value = address.value().expect("the numbers are small");
    // SAFETY: the kernel reads the fourth word of the structure as the value, and has a handler for the signal.
    let sent = unsafe {
        (&raw mut info).cast::<u64>().add(3).write(value);
        let (process, thread) = (libc::getpid(), libc::gettid());
        libc::syscall(libc::SYS_rt_tgsigqueueinfo, process, thread, SIGNAL, &raw const info)
    };
    assert_eq!(sent, 0);
}
