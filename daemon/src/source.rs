//! Finds the source lines of the program that findings are about.

use std::sync::Arc;

use ahash::AHashMap;
use whyperf_model::matching::{ClassId, Kind, Line};
use whyperf_model::{Hierarchy, Resource};

use crate::daemon::Daemon;
use crate::process::Process;
use crate::watched_thread::WatchedThread;

/// Kinds and positions that were met: many lines share them.
#[derive(Default)]
struct MetKinds {
    kinds: AHashMap<ClassId, Arc<Kind>>,
    places: AHashMap<u64, Option<(Resource, Arc<str>)>>,
}

impl Daemon {
    /// Where in the source all calls were made so far, by thread: see [`Line::longest`].
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut known = MetKinds::default();
        for process in &self.processes {
            known.places.clear();
            for watched in &process.threads {
                self.lines_of(process, watched, &mut known, &mut lines);
            }
        }
        lines
    }

    /// Those of one thread: one for each kind of call and place that it was made from.
    fn lines_of(
        &self,
        process: &Process,
        watched: &WatchedThread,
        known: &mut MetKinds,
        lines: &mut Vec<Line>,
    ) {
        let resource = |id| self.state.resources.resource(id).clone();
        let who = [resource(watched.resource), resource(process.machine)];
        let mut times: AHashMap<(ClassId, u64), u64> = AHashMap::new();
        let nodes = watched.thread.nodes.iter();
        for node in nodes.filter(|node| node.class != ClassId::UNSET && node.counters.time > 0) {
            *times.entry((node.class, node.site)).or_default() += node.counters.time;
        }
        let mut times: Vec<_> = times.into_iter().collect();
        times.sort_unstable();
        for ((class, site), time) in times {
            let place = known.places.entry(site).or_insert_with(|| place(process, site));
            let Some((code, position)) = place.clone() else { continue };
            let kind = known.kinds.entry(class).or_insert_with(|| {
                let traits = &self.state.classes.get(class).traits;
                let mut kind = Kind::of(traits, &self.state.resources);
                // A line is in every function that was on the way to it.
                kind.code.extend(traits.functions.iter().map(|function| resource(*function)));
                Arc::new(kind)
            });
            lines.push(Line { who: who.clone(), kind: kind.clone(), code, position, time });
        }
    }
}

/// The function that a call site is written in, and its line.
fn place(process: &Process, site: u64) -> Option<(Resource, Arc<str>)> {
    let place = process.catalogue.place(site)?;
    let code = Resource::root(Hierarchy::Code).child(&place.module).child(&place.function);
    Some((code, place.position()?.into()))
}
