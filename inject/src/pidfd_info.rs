//! What the kernel's file of a process says of a process that was collected: how it ended (Linux 6.15 and newer).

use std::os::fd::AsFd;

use rustix::ioctl::{Opcode, Updater, ioctl, opcode};

/// `struct pidfd_info` in its first form, as numbers of eight bytes: what is asked for, six that are not needed, then a user's number and
/// the status.
type Info = [u64; 8];

/// The status of a process that was collected, as `waitpid` has it; `None` of one that was not, and where the kernel does not tell.
pub(crate) fn exit_status(file: impl AsFd) -> Option<i32> {
    let mut info: Info = [0; 8];
    info[0] = EXIT;
    // SAFETY: the numbers live as long as the call.
    let request = unsafe { Updater::<GET_INFO, Info>::new(&mut info) };
    // SAFETY: this request reads and writes 64 bytes, which its number says, and nothing else.
    unsafe { ioctl(file, request) }.ok()?;
    let [_, _, _, _, status @ ..] = info[7].to_ne_bytes();
    (info[0] & EXIT != 0).then(|| i32::from_ne_bytes(status))
}

/// `PIDFD_GET_INFO`, `_IOWR(0xff, 11, 64 bytes)`.
const GET_INFO: Opcode = opcode::read_write::<Info>(0xff, 11);
/// `PIDFD_INFO_EXIT`: asked for, and set where it is told.
const EXIT: u64 = 1 << 3;

/// Whether this kernel tells it.
#[cfg(test)]
pub(crate) fn is_told() -> bool {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let mut numbers = release.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(6), Some(15))
}
