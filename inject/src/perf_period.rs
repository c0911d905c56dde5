//! Changes the period of a kernel event: the number of events after which it is sampled again.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use perf_event::Sampler;
use rustix::ioctl::{Setter, ioctl, opcode};

/// From now on it is sampled every so many events; the next one is sampled, too.
///
/// # Errors
/// When the kernel does not take such a period.
pub(crate) fn set(sampler: &mut Sampler, period: u64) -> io::Result<()> {
    // SAFETY: the sampler keeps its descriptor open, and is borrowed for longer than this is.
    let event = unsafe { BorrowedFd::borrow_raw(sampler.as_raw_fd()) };
    // SAFETY: this request reads a number of eight bytes, and writes nothing.
    unsafe { ioctl(event, Setter::<PERIOD, u64>::new(period)) }.map_err(io::Error::from)
}

/// `PERF_EVENT_IOC_PERIOD`.
const PERIOD: rustix::ioctl::Opcode = opcode::write::<u64>(b'$', 4);
