//! The members of a group in few words: its lowest world ranks, and how many more there are.

use super::real::CommunicatorGroup;
use super::text::CommunicatorName;

/// World ranks that are spelled out.
const SHOWN: usize = 4;
/// Ranks translated in one call.
const CHUNK: usize = 64;

/// Adds `0,2,4,6+12`, and `0-3` where ranks follow each other.
pub(crate) fn push(
    group: &CommunicatorGroup,
    world: &CommunicatorGroup,
    name: &mut CommunicatorName,
) {
    let Lowest { ranks, used } = lowest_of(group, world);
    let mut last: Option<i32> = None;
    let mut next = ranks.iter().take(used).peekable();
    while let Some(rank) = next.next() {
        let follows = last.is_some_and(|last| last.checked_add(1) == Some(*rank));
        let goes_on = next.peek().is_some_and(|next| rank.checked_add(1) == Some(**next));
        // Of ranks that follow each other the first and the last are said.
        if !(follows && goes_on) {
            match last {
                Some(_) if follows => name.push(b"-"),
                Some(_) => name.push(b","),
                None => {}
            }
            name.push_number(i64::from(*rank));
        }
        last = Some(*rank);
    }
    let more = i64::from(group.size()) - used as i64;
    if more > 0 {
        name.push(b"+");
        name.push_number(more);
    }
}

/// Lowest world rank in the group.
pub(crate) fn lowest(group: &CommunicatorGroup, world: &CommunicatorGroup) -> i32 {
    lowest_of(group, world).ranks[0]
}

/// Lowest world ranks, in order.
struct Lowest {
    ranks: [i32; SHOWN],
    used: usize,
}

impl Lowest {
    fn add(&mut self, rank: i32) {
        let at = self.ranks.iter().take(self.used).position(|known| rank < *known);
        let at = at.unwrap_or(self.used);
        if at < SHOWN {
            // Moves up what is higher, one by one; the highest of all falls out.
            let mut carried = rank;
            for place in self.ranks.iter_mut().skip(at) {
                core::mem::swap(place, &mut carried);
            }
            self.used = SHOWN.min(self.used + 1);
        }
    }
}

fn lowest_of(group: &CommunicatorGroup, world: &CommunicatorGroup) -> Lowest {
    let mut lowest = Lowest { ranks: [i32::MAX; SHOWN], used: 0 };
    let size = group.size();
    let mut next = 0;
    while next < size {
        let length = usize::try_from(size - next).unwrap_or(0).min(CHUNK);
        let mut ranks = [0; CHUNK];
        let mut translated = [-1; CHUNK];
        for (rank, number) in ranks.iter_mut().zip(next..) {
            *rank = number;
        }
        let Some(asked) = ranks.get(..length) else { break };
        if !group.translate(asked, world, &mut translated) {
            break;
        }
        // A process that another job spawned has no rank here, which is a negative number.
        translated
            .iter()
            .take(length)
            .filter(|rank| **rank >= 0)
            .for_each(|rank| lowest.add(*rank));
        next += length as i32;
    }
    lowest
}
