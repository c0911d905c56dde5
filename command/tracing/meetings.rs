//! Calls of several ranks, which are left out of a trace for all of their members or for none.

use whyperf_experiments::TraceFile;
use whyperf_extrapolate::{Edit, LeftOut};

/// An edit in which calls of some ranks or regions are left out for all of their members.
pub(crate) fn whole_meetings(edit: Edit, trace: &TraceFile) -> Edit {
    let (some, without) = edit.without.into_iter().partition(LeftOut::is_some_meetings);
    let mut edit = Edit { without, ..edit };
    let some: Vec<LeftOut> = some;
    for out in &some {
        let ranks = trace.head().all_ranks().zip(trace.all_ranks());
        for (rank, events) in ranks.filter(|(rank, _)| out.includes(*rank)) {
            edit.meetings.extend(out.meetings(rank, events));
        }
    }
    edit
}
