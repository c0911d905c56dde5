//! Wrappers of calls that wait for one of several descriptors. The calls that take a mask of signals, too, are in
//! `signals.rs`.

use whyperf_layout::ObjectKind;
use whyperf_runtime::ObjectId;

use super::only;
use crate::wrapped::{nothing, wrapped};

wrapped! {
    poll(entries, count, limit) => Poll, one_of(count), nothing;
    __poll_chk(entries, count, limit, size) => Poll, one_of(count), nothing;
    select(count, to_read, to_write, others, limit) => Poll, one_of(count), nothing;
    epoll_wait(fd, events, count, limit) => Poll, only(ObjectKind::Poll), nothing;
}

/// What is waited for: one of so many descriptors, or nothing but time.
#[inline(always)]
pub(crate) fn one_of(count: usize) -> ObjectId {
    only(if count as u32 == 0 { ObjectKind::Sleep } else { ObjectKind::Poll })
}
