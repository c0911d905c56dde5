//! The worker, a thread that knows the code of all measured programs: which function calls which, what names mean, how
//! functions are patched.
//!
//! ```text
//!   request ──► Worker ──► known_code: which functions there are, and their names
//!                     ├──► call_graph: which functions a function calls ◄── stacks (calls that were seen) ◄── looks
//!                     ├──► counting:   where threads are when something is counted of them
//!                     ├──► planning:   how a function is patched in a process
//!                     └──► search, largest: the functions of a name; the largest modules and functions
//! ```

mod call_graph;
mod counting;
mod experience;
mod hot_functions;
mod known_code;
mod largest;
mod looks;
mod lost_samples;
mod modules;
mod planning;
mod process_code;
mod program_regions;
mod program_start;
mod references;
mod search;
mod stacks;
mod wait_looks;

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TryRecvError};
use whyperf_model::Resource;

use self::call_graph::CallGraph;
use self::counting::Counting;
pub(crate) use self::known_code::KnownCode;
use self::looks::Looks;
use self::program_regions::ProgramRegions;
use self::wait_looks::WaitLooks;
use crate::function_key::FunctionKey;
use crate::messages::{WorkerAnswer, WorkerRequest};

/// Serves questions until the channel is closed.
pub(crate) fn run(
    code: KnownCode,
    requests: &Receiver<WorkerRequest>,
    answers: &Sender<WorkerAnswer>,
) {
    let mut worker = Worker::over(code);
    loop {
        let answer = match requests.try_recv() {
            Ok(request) => worker.serve(request),
            Err(TryRecvError::Empty) => {
                // Whoever asks or goes wakes this thread.
                match worker.rest() {
                    Some(rest) => thread::park_timeout(rest),
                    None => thread::park(),
                }
                None
            }
            Err(TryRecvError::Disconnected) => return,
        };
        let waits = worker.wait_looks.take(&mut worker.code);
        let seen = worker.looks.take(&mut worker.code, &mut worker.graph);
        let counted = worker.counting.take(&mut worker.code, &mut worker.graph);
        let told = answer.into_iter().chain(waits).chain(seen).chain(counted);
        for answer in told.chain(worker.graph.take_news()) {
            if answers.send(answer).is_err() {
                return;
            }
        }
    }
}

#[derive(Debug)]
struct Worker {
    code: KnownCode,
    graph: CallGraph,
    regions: ProgramRegions,
    looks: Looks,
    wait_looks: WaitLooks,
    counting: Counting,
    /// Whether nothing is to be sampled, nor taken in.
    is_paused: bool,
}

impl Worker {
    fn over(code: KnownCode) -> Self {
        Self {
            code,
            graph: CallGraph::default(),
            regions: ProgramRegions::default(),
            looks: Looks::default(),
            wait_looks: WaitLooks::default(),
            counting: Counting::default(),
            is_paused: false,
        }
    }

    /// How long nothing has to be done that nobody asks for; `None` when there is no such thing.
    fn rest(&self) -> Option<Duration> {
        if self.is_paused {
            return None;
        }
        let rests = [self.looks.rest(), self.wait_looks.rest(), self.counting.rest()];
        rests.into_iter().flatten().min()
    }

    fn serve(&mut self, request: WorkerRequest) -> Option<WorkerAnswer> {
        let Self { code: known, graph, regions, looks, wait_looks, counting, .. } = self;
        match request {
            WorkerRequest::Watch { process, pid } => {
                known.watch(process, pid);
                None
            }
            WorkerRequest::Forget { process } => {
                known.forget(process);
                looks.forget(process);
                counting.forget(process);
                None
            }
            WorkerRequest::Find { code } => {
                let functions = search::functions(known, &code);
                let is_module = code.depth() == 1;
                let named = functions.iter().filter(|_| is_module);
                let names = named.map(|key| known.name(*key)).collect();
                Some(WorkerAnswer::Found { code, functions, names })
            }
            WorkerRequest::Callees { of } => {
                let callees = self.callees(&of);
                Some(WorkerAnswer::Callees { of, callees })
            }
            WorkerRequest::Region { region, function } => {
                for outer in regions.meet(&region, function) {
                    graph.tell(outer, region.clone());
                }
                None
            }
            WorkerRequest::List { module } => {
                Some(WorkerAnswer::Listed { code: largest::list(known, module.as_ref()) })
            }
            WorkerRequest::Look { process, threads, limit } => {
                looks.begin(known, graph, process, &threads, limit);
                None
            }
            WorkerRequest::PlaceWaits { process, threads } => {
                wait_looks.begin(process, threads);
                None
            }
            WorkerRequest::Count { process, tid, counter, source } => {
                counting.begin(process, tid, counter, source);
                None
            }
            WorkerRequest::Pause => self.pause(),
            WorkerRequest::Resume => self.resume(),
            WorkerRequest::Plan { process, functions } => {
                let plans = planning::plan(known, process, functions);
                Some(WorkerAnswer::Planned { process, plans })
            }
            WorkerRequest::Move { process, arena, functions } => {
                planning::give_up(known, process, arena);
                let plans = planning::plan(known, process, functions);
                Some(WorkerAnswer::Planned { process, plans })
            }
        }
    }

    fn pause(&mut self) -> Option<WorkerAnswer> {
        whyperf_inject::stop_own_events();
        self.is_paused = true;
        None
    }

    fn resume(&mut self) -> Option<WorkerAnswer> {
        whyperf_inject::go_on_with_own_events();
        self.is_paused = false;
        None
    }

    fn callees(&mut self, of: &Resource) -> BTreeMap<Resource, Vec<FunctionKey>> {
        let Self { code, graph, regions, .. } = self;
        let mut found = BTreeSet::new();
        graph.ask(of);
        if of.is_root() {
            let mut beginnings = search::beginnings(code);
            beginnings.extend(graph.beginnings());
            found.extend(graph.beyond_left_out(beginnings, code));
        } else {
            let function = regions.beginner(of).clone();
            for key in search::functions(code, &function) {
                found.extend(graph.called(key, code));
            }
        }
        let mut names: BTreeSet<Resource> = found.into_iter().map(|key| code.name(key)).collect();
        names.extend(regions.inside(of).into_iter().filter(|region| !code.leaves_out(region)));
        let others = names.into_iter().filter(|name| name != of);
        others.map(|name| (name.clone(), search::functions(code, &name))).collect()
    }
}
