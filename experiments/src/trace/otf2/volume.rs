//! The bytes that a member of a collective call sends and receives, as Score-P counts them, and the bytes of the call that follow from these.
//!
//! ```text
//!   n members, place i, b bytes of the call     sent        received
//!   broadcast                                   n·b         b              others than the root send nothing
//!   scatter                                     n·b         b              the same
//!   gather, reduce                              b           n·b            others than the root receive nothing
//!   allgather, alltoall, allreduce              n·b         n·b
//!   reduce-scatter                              b           b              b is the whole contribution
//!   scan                                        (n-i)·b     (i+1)·b
//! ```
//! Where a buffer is used in place, the member's own part is not counted: that is seen only where nothing is left. Lists of counts are taken by
//! their mean.

use whyperf_extrapolate::CollectiveKind;

use super::kinds::{EXCLUSIVE_SCAN, kind};

/// A member among all, by its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Its place.
    pub(super) place: u64,
    /// How many there are.
    pub(super) size: u64,
    /// It is the root.
    pub(super) is_root: bool,
}

/// What it sends and receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Volume {
    pub(super) sent: u64,
    pub(super) received: u64,
}

impl Volume {
    /// In a call of so many bytes.
    pub(super) const fn of(kind: CollectiveKind, bytes: u64, member: Member) -> Self {
        let Member { place, size, is_root } = member;
        let all = bytes.saturating_mul(size);
        let at_root = if is_root { all } else { 0 };
        let (sent, received) = match kind {
            CollectiveKind::Broadcast | CollectiveKind::Scatter => (at_root, bytes),
            CollectiveKind::Gather | CollectiveKind::Reduce => (bytes, at_root),
            CollectiveKind::Allgather | CollectiveKind::Alltoall | CollectiveKind::Allreduce => {
                (all, all)
            }
            CollectiveKind::ReduceScatter => (bytes, bytes),
            CollectiveKind::Scan => {
                let after = size.saturating_sub(place);
                (bytes.saturating_mul(after), bytes.saturating_mul(place + 1))
            }
        };
        Self { sent, received }
    }

    /// The kind and the bytes of the call in which a member sends and receives so much; none of what moves nothing.
    pub(super) fn call(self, operation: u8, member: Member) -> Option<(CollectiveKind, u64)> {
        let Self { sent, received } = self;
        let Member { place, size, .. } = member;
        let others = size.saturating_sub(1).max(1);
        let kind = kind(operation)?;
        let bytes = match kind {
            CollectiveKind::Broadcast | CollectiveKind::Scatter if received > 0 => received,
            CollectiveKind::Broadcast | CollectiveKind::Scatter => sent / others,
            CollectiveKind::Gather | CollectiveKind::Reduce if sent > 0 => sent,
            CollectiveKind::Gather | CollectiveKind::Reduce => received / others,
            CollectiveKind::Allgather | CollectiveKind::Alltoall | CollectiveKind::Allreduce => {
                sent / size.max(1)
            }
            CollectiveKind::ReduceScatter => sent,
            CollectiveKind::Scan => {
                let before = u64::from(operation == EXCLUSIVE_SCAN);
                match size.saturating_sub(place + before) {
                    0 => received / place.max(1),
                    after => sent / after,
                }
            }
        };
        Some((kind, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::super::kinds::operation;
    use super::*;

    const SIZE: u64 = 4;

    fn members() -> impl Iterator<Item = Member> {
        (0..SIZE).map(|place| Member { place, size: SIZE, is_root: place == 1 })
    }

    #[test]
    fn a_call_comes_back_from_what_each_member_sends_and_receives() {
        for kind in CollectiveKind::ALL {
            let back = members()
                .map(|member| Volume::of(kind, 100, member).call(operation(kind), member))
                .collect::<Vec<_>>();
            assert_eq!(back, [Some((kind, 100)); SIZE as usize], "{kind:?}");
        }
    }

    #[test]
    fn members_send_and_receive_what_score_p_says() {
        let of = |kind| {
            members()
                .map(|member| {
                    let Volume { sent, received } = Volume::of(kind, 100, member);
                    (sent, received)
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(of(CollectiveKind::Broadcast), [(0, 100), (400, 100), (0, 100), (0, 100)]);
        assert_eq!(of(CollectiveKind::Reduce), [(100, 0), (100, 400), (100, 0), (100, 0)]);
        assert_eq!(of(CollectiveKind::Allreduce), [(400, 400); 4]);
        assert_eq!(of(CollectiveKind::Scan), [(400, 100), (300, 200), (200, 300), (100, 400)]);
    }

    #[test]
    fn a_root_whose_buffer_is_in_place_says_the_same_call() {
        let root = Member { place: 0, size: SIZE, is_root: true };
        let gathered = Volume { sent: 0, received: 300 }.call(2, root);
        assert_eq!(gathered, Some((CollectiveKind::Gather, 100)));
        let last = Member { place: 3, size: SIZE, is_root: false };
        let scanned = Volume { sent: 0, received: 300 }.call(EXCLUSIVE_SCAN, last);
        assert_eq!(scanned, Some((CollectiveKind::Scan, 100)));
    }
}
