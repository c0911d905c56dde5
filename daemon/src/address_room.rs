//! The address space that is left where it is limited (`ulimit -v`): whyperf maps files of others only as long as enough is left for its own memory,
//! without which it would end, and its caller would not hear how the program ended.

use std::fs;

use rustix::process::{Resource, getrlimit};

/// Whether so many bytes may be mapped.
pub(crate) fn is_there_for(bytes: usize) -> bool {
    let Some(limit) = getrlimit(Resource::As).current else { return true };
    // Where nobody tells, the mapping itself does.
    let taken = taken().unwrap_or(0);
    fits(limit, taken, bytes as u64)
}

fn fits(limit: u64, taken: u64, bytes: u64) -> bool {
    let kept = OWN.min(limit / 4);
    taken.saturating_add(bytes) <= limit.saturating_sub(kept)
}

/// What this process has mapped.
fn taken() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_ascii_whitespace().next()?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// For its own memory: threads, what is read of objects, the search.
const OWN: u64 = 512 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_what_is_limited_is_kept() {
        let gibibyte = 1 << 30;
        assert!(fits(4 * gibibyte, 3 * gibibyte, 512 << 20));
        assert!(!fits(4 * gibibyte, 3 * gibibyte, 513 << 20));
        assert!(fits(gibibyte, 0, 768 << 20) && !fits(gibibyte, 0, 769 << 20));
        assert!(taken().is_some_and(|bytes| bytes > 0));
    }
}
