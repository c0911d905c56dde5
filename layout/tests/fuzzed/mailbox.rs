//! Reads an attach request into which others write anything, from the memory in which it lies.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use whyperf_layout::attach_request::{
    AttachOptions, LONGEST, MOST_THREADS, Mailbox, MailboxMemory, RequestNumber,
};

/// The process that is asked.
const PROCESS: u32 = 4711;
/// Bytes of one write: where, and a word.
const WRITE: usize = 10;

/// The first byte is the length of a directory, the second a number of threads, the third says whether a whole request is there at
/// first; then the request's number, the directory, and writes.
pub(crate) fn feed(bytes: &[u8]) {
    let Some(([directory, threads, is_whole, bits @ ..], rest)) = bytes.split_first_chunk::<11>()
    else {
        return;
    };
    let number = RequestNumber::new(u64::from_le_bytes(*bits));
    let (directory, writes) = rest.split_at(usize::from(*directory).min(rest.len()));
    let threads: Vec<u32> = (1..=u32::from(*threads)).collect();
    let request = Mailbox::new(PROCESS, directory, &threads, AttachOptions::default());
    let mut request = request.expect("the directory is short");
    request.close(number);
    // As it is asked: from outside, by a call.
    let memory = Box::new(MailboxMemory::new());
    let file = File::options().write(true).open("/proc/self/mem").expect("it is ours");
    let write = |at: usize, bytes: &[u8]| {
        file.write_all_at(bytes, memory.address(at) as u64).expect("it is our own memory");
    };
    if is_whole & 1 == 1 {
        write(0, request.bytes());
    }
    for bytes in writes.chunks_exact(WRITE) {
        let (at, word) = bytes.split_at(WRITE - 8);
        let at = usize::from(u16::from_le_bytes([at[0], at[1]]));
        write(at.min(Mailbox::SIZE - 8), word);
    }
    check(&memory, &request, number);
}

/// What is taken for a request is the one that was written, word for word.
fn check(memory: &MailboxMemory, request: &Mailbox, number: RequestNumber) {
    let mut read = empty();
    memory.copy(&mut read);
    assert!(read.directory().len() <= LONGEST && read.threads().len() <= MOST_THREADS);
    if read.is_fresh(PROCESS, number) {
        assert_eq!((read.directory(), read.threads()), (request.directory(), request.threads()));
        assert_eq!(read.options(), request.options());
    }
    assert!(!read.is_fresh(PROCESS + 1, number), "it is another process's");
    memory.receive(number);
    memory.answer(number, 3);
    memory.copy(&mut read);
    assert!(!read.is_fresh(PROCESS, number), "it was answered");
    let word = read.bytes()[Mailbox::ANSWER..].first_chunk().map(|word| u64::from_le_bytes(*word));
    assert_eq!(word.and_then(|word| number.outcome(word)), Some(3));
    // What comes with a signal is a number of ours or nothing.
    let value = u64::from_le_bytes(*read.bytes().first_chunk().expect("it is longer"));
    let told = RequestNumber::of_signal(value);
    assert!(told.is_none_or(|told| told.signal_value() == value));
    assert_eq!(RequestNumber::of_signal(number.signal_value()), Some(number));
}

fn empty() -> Box<Mailbox> {
    Box::new(Mailbox::new(0, &[], &[], AttachOptions::default()).expect("nothing has room"))
}
