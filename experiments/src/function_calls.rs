//! How often each process called functions, from the callpath profile of a run.
//!
//! A function is counted while it is switched on, and the profile says for which share of the process's life that was. Its calls are taken for
//! the whole life at the same rate, as its time is. How often a loop runs before a function is switched on nobody knows, so calls of one run are
//! compared with those of another only beside what other processes called in the same run.

use std::collections::BTreeMap;

use whyperf_consultant::NameMaps;
use whyperf_model::{Focus, Hierarchy, Resource};

use crate::program_event::ProgramEvent;
use crate::run::StoredProfileRow;

/// By function and process: how often it was called.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FunctionCalls(BTreeMap<(Resource, Resource), f64>);

impl FunctionCalls {
    /// Those that rows of a profile tell of. A name that several functions of the run have tells nothing.
    pub(crate) fn of(rows: &[StoredProfileRow], event: &ProgramEvent) -> Self {
        let functions = named_once(event);
        let mut calls = BTreeMap::new();
        for row in rows {
            let function = row.path.last().and_then(|name| functions.get(name));
            let coverage = row.coverage.filter(|coverage| *coverage >= LEAST_COVERED);
            let Some((Some(function), coverage)) = function.zip(coverage) else { continue };
            let process = Resource::root(Hierarchy::Process).child(&row.process.to_string());
            if event.contains(&process) {
                #[expect(clippy::cast_precision_loss, reason = "nothing is called that often")]
                let counted = row.calls as f64;
                *calls.entry((Resource::clone(function), process)).or_default() +=
                    counted / coverage;
            }
        }
        Self(calls)
    }

    /// How often a function was called in a process; none where that is not known, or something else is asked.
    pub(crate) fn amount(&self, focus: &Focus) -> Option<f64> {
        let [function] = focus.part(Hierarchy::Code) else { return None };
        let [process] = focus.part(Hierarchy::Process) else { return None };
        let others = [Hierarchy::Code, Hierarchy::Process];
        if focus.projected(&others) != *focus {
            return None;
        }
        self.0.get(&(function.clone(), process.clone())).copied()
    }

    /// Gives functions and processes the names that another run has for them.
    pub(crate) fn rename(&mut self, maps: &NameMaps) {
        let known = std::mem::take(&mut self.0).into_iter();
        let renamed = |((function, process), calls)| {
            ((maps.renamed(&function), maps.renamed(&process)), calls)
        };
        self.0 = known.map(renamed).collect();
    }
}

/// The functions by their name alone, and nothing for a name that several have.
fn named_once(event: &ProgramEvent) -> BTreeMap<String, Option<&Resource>> {
    let code = event.resources().filter(|one| one.hierarchy() == Hierarchy::Code);
    let mut functions = BTreeMap::new();
    for function in code.filter(|one| one.depth() > 1) {
        functions
            .entry(function.label())
            .and_modify(|known| *known = None)
            .or_insert(Some(function));
    }
    functions
}

/// Of the life of a process at least this part must have been counted.
const LEAST_COVERED: f64 = 0.1;

#[cfg(test)]
mod tests {
    use super::*;
    use whyperf_model::Nanos;

    fn row(process: u32, path: &[&str], calls: u64, coverage: Option<f64>) -> StoredProfileRow {
        StoredProfileRow {
            process,
            thread: 0,
            path: path.iter().map(ToString::to_string).collect(),
            calls,
            inclusive: Nanos::ZERO,
            exclusive: Nanos::ZERO,
            sent: 0,
            received: 0,
            source: None,
            coverage,
        }
    }

    #[test]
    fn calls_are_those_of_the_whole_life_on_all_paths() {
        let names = ["/Code/a.c/f", "/Code/a.c/g", "/Code/b.c/g", "/Process/0", "/Process/1"];
        let event = ProgramEvent::new(names.map(|name| name.parse().expect("well formed")));
        let calls = FunctionCalls::of(
            &[
                row(0, &["main", "f"], 30, Some(0.5)),
                row(0, &["main", "h", "f"], 10, Some(1.0)),
                row(1, &["f"], 3, Some(0.01)),
                row(1, &["g"], 3, Some(0.5)),
                row(7, &["f"], 3, Some(0.5)),
            ],
            &event,
        );
        let amount = |focus: &str| calls.amount(&focus.parse().expect("well formed"));
        assert_eq!(amount("</Code/a.c/f,/Process/0>"), Some(70.0));
        assert_eq!(amount("</Code/a.c/f,/Process/1>"), None, "it was hardly counted");
        assert_eq!(amount("</Code/a.c/g,/Process/1>"), None, "two functions are called so");
        assert_eq!(amount("</Code/a.c/f,/Process/7>"), None, "the run has no such process");
        assert_eq!(amount("</Code/a.c/f,/Machine/n,/Process/0>"), None);
    }
}
