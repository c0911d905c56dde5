//! The line of the program that a finding is about.

use std::collections::BTreeMap;

use ahash::AHashMap;
use whyperf_model::matching::{ClassId, ResourceId};
use whyperf_model::{Focus, Hierarchy, Metric, Resource};

use crate::daemon::Daemon;
use crate::symbols::Place;

impl Daemon {
    /// Of the calls that count for a metric at a focus, the line of those that took most time:
    /// `oned.c:88`. Where the focus names code, only calls written in that code count.
    #[must_use]
    pub fn source(&self, metric: Metric, focus: &Focus) -> Option<String> {
        let mut times: BTreeMap<String, u64> = BTreeMap::new();
        let mut known: AHashMap<ClassId, bool> = AHashMap::new();
        for process in &self.processes {
            for member in &process.members {
                let who = [member.resource, process.machine];
                let is_meant = [Hierarchy::Process, Hierarchy::Machine]
                    .into_iter()
                    .all(|hierarchy| self.admits(focus, hierarchy, &who));
                for node in member.thread.nodes.iter().filter(|_| is_meant) {
                    let Some(place) = process.catalogue.place(node.site) else { continue };
                    let Some(line) = place.position() else { continue };
                    let matches = *known
                        .entry(node.class)
                        .or_insert_with(|| self.class_matches(node.class, metric, focus));
                    if matches && is_written_in(place, focus) {
                        *times.entry(line).or_default() += node.counters.time;
                    }
                }
            }
        }
        let longest = times.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
        longest.map(|(line, _)| line)
    }

    fn class_matches(&self, class: ClassId, metric: Metric, focus: &Focus) -> bool {
        if class == ClassId::UNSET {
            return false;
        }
        let class = self.books.classes.get(class);
        metric.definition().categories.contains(class.traits.category)
            && [Hierarchy::Code, Hierarchy::SyncObject, Hierarchy::File]
                .into_iter()
                .all(|hierarchy| self.admits(focus, hierarchy, &class.lineage))
    }

    fn admits(&self, focus: &Focus, hierarchy: Hierarchy, lineage: &[ResourceId]) -> bool {
        focus.is_root(hierarchy)
            || lineage.iter().any(|id| {
                let resource = self.books.resources.resource(*id);
                focus.part(hierarchy).iter().any(|part| part.contains(resource))
            })
    }
}

fn is_written_in(place: &Place, focus: &Focus) -> bool {
    let code = Resource::root(Hierarchy::Code).child(&place.module).child(&place.function);
    focus.part(Hierarchy::Code).iter().any(|part| part.contains(&code))
}
