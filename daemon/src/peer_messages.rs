//! The messages that a thread sent to each rank and received from it, as they were told.

use std::sync::atomic::Ordering;

use whyperf_layout::{PEER_PAGES, PEERS_OF_PAGE, Peer, PeerPage};
use whyperf_model::{MessageSide, MessageSums, Nanos, Scale};

use crate::region::ThreadSlot;

/// What is known of a thread's messages. What was told is the sum of what it grew by, so that a report and the record of the same run
/// have the same numbers, also while the length of a tick becomes known better.
///
/// What is kept has a place for each record of the pages that the thread itself has, and is smaller than those.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadMessages {
    pages: [Option<Box<KnownPage>>; PEER_PAGES],
    /// The thread ended, and all was read a last time.
    pub(crate) is_over: bool,
}

/// What is known of the ranks that share a page.
#[derive(Clone, Debug)]
struct KnownPage {
    stamps: [u32; PEERS_OF_PAGE],
    /// By the side that the thread was on.
    told: [[MessageSums; 2]; PEERS_OF_PAGE],
}

/// By how much one side's count of a rank's messages grew.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeerGrowth {
    pub(crate) by: MessageSums,
    /// The time of all that was told of them.
    pub(crate) so_far: Nanos,
}

/// Which records a pass reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordsToRead {
    /// Those whose stamps changed.
    Changed,
    /// Each one, whatever the stamps say.
    All,
}

impl ThreadMessages {
    /// Reads the records of a slot and tells by how much they grew since they were told last. A page whose bit is not set is not
    /// touched: it would be made by that.
    pub(crate) fn read(
        &mut self,
        slot: &ThreadSlot<'_>,
        records: RecordsToRead,
        scale: Scale,
        mut tell: impl FnMut(Peer, MessageSide, PeerGrowth),
    ) {
        let mut pages = slot.head.peer_pages.load(Ordering::Relaxed);
        for ((first, page), known) in first_of_pages().zip(slot.peers).zip(&mut self.pages) {
            if pages & 1 != 0 {
                let known = known.get_or_insert_default();
                known.read(page, records, scale, |place, side, growth| {
                    tell(Peer::of_index(first + place), side, growth);
                });
            }
            pages >>= 1;
        }
    }

    /// The same after all was read and told that is there by now.
    pub(crate) fn until_now(&self, slot: &ThreadSlot<'_>, scale: Scale) -> Self {
        let mut now = self.clone();
        now.read(slot, RecordsToRead::All, scale, |_, _, _| {});
        now
    }

    /// All that was told.
    pub(crate) fn told(&self) -> impl Iterator<Item = (Peer, MessageSide, MessageSums)> + '_ {
        let known = first_of_pages().zip(&self.pages);
        let known = known.filter_map(|(first, page)| Some((first, page.as_ref()?)));
        let peers = known.flat_map(|(first, page)| (first..).map(Peer::of_index).zip(&page.told));
        let sides = peers.flat_map(|(peer, told)| {
            SIDES.into_iter().zip(told).map(move |(side, told)| (peer, side, *told))
        });
        sides.filter(|(.., told)| *told != MessageSums::default())
    }
}

impl KnownPage {
    fn read(
        &mut self,
        page: &PeerPage,
        records: RecordsToRead,
        scale: Scale,
        mut tell: impl FnMut(usize, MessageSide, PeerGrowth),
    ) {
        let changed = page.changed(&mut self.stamps);
        let mut left = if records == RecordsToRead::All { u64::MAX } else { changed };
        while left != 0 {
            let place = left.trailing_zeros() as usize;
            left &= left - 1;
            let record = &page.records()[place];
            let read = [record.sent(), record.received()];
            for ((side, read), told) in SIDES.into_iter().zip(read).zip(&mut self.told[place]) {
                let read = MessageSums {
                    number: read.number,
                    bytes: read.bytes,
                    time: Nanos(scale.nanos(read.ticks)),
                };
                let by = read.since(*told);
                if by != MessageSums::default() {
                    told.add(by);
                    tell(place, side, PeerGrowth { by, so_far: told.time });
                }
            }
        }
    }
}

impl Default for KnownPage {
    fn default() -> Self {
        Self { stamps: [0; PEERS_OF_PAGE], told: [[MessageSums::default(); 2]; PEERS_OF_PAGE] }
    }
}

/// The number of the first record of each page.
fn first_of_pages() -> impl Iterator<Item = usize> {
    (0..).step_by(PEERS_OF_PAGE)
}

/// The sides of a message, in the order in which they are kept here.
const SIDES: [MessageSide; 2] = [MessageSide::Sender, MessageSide::Receiver];
