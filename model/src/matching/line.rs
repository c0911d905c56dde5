//! Time by source line: one line for each place that calls were made from, with the function that contains it and the calls
//! that it made.

use std::collections::BTreeMap;
use std::slice;
use std::sync::Arc;

use super::interval_record::Kind;
use crate::{Focus, Hierarchy, Metric, Resource};

/// A line of the source that some thread called something from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The thread, and the machine it runs on.
    pub who: [Resource; 2],
    /// What was called, with all code that was on the path to it.
    pub kind: Arc<Kind>,
    /// The function that the line is written in.
    pub code: Resource,
    /// File and number: `oned.c:88`.
    pub position: Arc<str>,
    /// How long the calls took; only compared with each other.
    pub time: u64,
}

impl Line {
    /// Whether what was called from it counts for a metric at a focus. Where the focus names code, it must be written there.
    #[must_use]
    pub fn counts(&self, metric: Metric, focus: &Focus) -> bool {
        let is_in = |hierarchy: Hierarchy, mine: &[Resource]| {
            let part = focus.part(hierarchy);
            let holds = |one: &Resource| part.iter().any(|part| part.contains(one));
            focus.is_root(hierarchy) || mine.iter().any(holds)
        };
        let ([thread, machine], kind) = (&self.who, &self.kind);
        metric.definition().categories.contains(kind.category)
            && is_in(Hierarchy::Process, slice::from_ref(thread))
            && is_in(Hierarchy::Machine, slice::from_ref(machine))
            && is_in(Hierarchy::Code, &kind.code)
            && is_in(Hierarchy::Code, slice::from_ref(&self.code))
            && Hierarchy::OBJECTS.into_iter().all(|one| is_in(one, kind.object.as_slice()))
    }

    /// Of the lines that count for a metric at a focus, the one that took most time.
    #[must_use]
    pub fn longest(lines: &[Self], metric: Metric, focus: &Focus) -> Option<String> {
        let mut times: BTreeMap<&str, u64> = BTreeMap::new();
        for line in lines.iter().filter(|line| line.counts(metric, focus)) {
            *times.entry(&line.position).or_default() += line.time;
        }
        let longest = times.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0)));
        longest.map(|(line, _)| line.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Category;

    fn line(rank: u32, function: &str, position: &str, time: u64) -> Line {
        let resource = |text: &str| Resource::parse(text).expect("well formed");
        let code = resource(&format!("/Code/a.c/{function}"));
        let kind = Kind {
            category: Category::Receive,
            code: vec![code.clone()],
            object: Some(resource("/SyncObject/Message/w/3")),
            own: None,
        };
        Line {
            who: [resource(&format!("/Process/{rank}/0")), resource("/Machine/n0")],
            kind: Arc::new(kind),
            code,
            position: position.into(),
            time,
        }
    }

    #[test]
    fn the_longest_line_is_that_of_what_counts() {
        let lines = [line(0, "f", "a.c:1", 5), line(1, "f", "a.c:1", 5), line(0, "g", "a.c:9", 7)];
        let at = |metric, focus: &str| {
            Line::longest(&lines, metric, &focus.parse().expect("well formed"))
        };
        assert_eq!(at(Metric::SyncWait, "<>").as_deref(), Some("a.c:1"));
        assert_eq!(at(Metric::SyncWait, "</Process/0>").as_deref(), Some("a.c:9"));
        assert_eq!(at(Metric::SyncWait, "</Code/a.c/g>").as_deref(), Some("a.c:9"));
        assert_eq!(at(Metric::SyncWait, "</SyncObject/Message/w/3>").as_deref(), Some("a.c:1"));
        assert_eq!(at(Metric::SyncWait, "</SyncObject/Barrier>"), None);
        assert_eq!(at(Metric::SyncWait, "</Machine/n1>"), None);
        assert_eq!(at(Metric::IoWait, "<>"), None);
    }
}
