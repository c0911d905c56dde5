//! What the stacks of running threads tell: calls that began before their functions were watched, calls
//! that no code names, and where threads begin.

use whyperf_inject::StackSnapshot;
use whyperf_model::{Hierarchy, Nanos, Resource};

use super::call_graph::CallGraph;
use super::known_code::KnownCode;
use super::search;
use crate::function_key::FunctionKey;
use crate::messages::StackFindings;

/// Looks at threads of a process.
pub(crate) fn look(
    code: &mut KnownCode,
    graph: &mut CallGraph,
    process: u32,
    threads: &[u32],
) -> StackFindings {
    let mut seen = StackFindings::default();
    let Some(watched) = code.processes.get_mut(&process) else { return seen };
    let Some((snapshots, stopped)) = watched.stack_snapshots.at(watched.pid, threads) else {
        return seen;
    };
    seen.stopped = Nanos(u64::try_from(stopped.as_nanos()).unwrap_or(u64::MAX));
    seen.is_whole = true;
    for (tid, snapshot) in snapshots {
        seen.is_whole &= snapshot.is_whole;
        let calls = named_calls(code, process, &snapshot);
        learn_calls(code, graph, &calls);
        if snapshot.is_whole {
            learn_beginning(code, graph, &calls);
        }
        let unseen = calls.iter().filter(|call| !call.is_watched);
        seen.threads.push((tid, unseen.filter_map(|call| call.function).collect()));
    }
    seen
}

/// A call that has not returned.
#[derive(Clone, Copy, Debug)]
struct OpenCall {
    function: Option<FunctionKey>,
    /// An event told of it.
    is_watched: bool,
}

fn named_calls(code: &mut KnownCode, process: u32, snapshot: &StackSnapshot) -> Vec<OpenCall> {
    let KnownCode { processes, modules, .. } = code;
    let Some(process) = processes.get_mut(&process) else { return Vec::new() };
    process.loaded(modules);
    let mut calls = Vec::new();
    for (at, call) in snapshot.calls.iter().enumerate() {
        if call.is_ours {
            continue;
        }
        let function = process.function_at(call.address, modules);
        // Our own slot called it: its entry was seen.
        let is_watched = snapshot.calls.get(at + 1).is_some_and(|caller| caller.is_ours);
        calls.push(OpenCall { function, is_watched });
    }
    calls
}

/// Takes note of which function called which.
fn learn_calls(code: &mut KnownCode, graph: &mut CallGraph, calls: &[OpenCall]) {
    for pair in calls.windows(2) {
        let (Some(callee), Some(caller)) = (pair[0].function, pair[1].function) else { continue };
        let is_news = callee != caller && code.is_of_interest(callee);
        if is_news && !graph.called(caller, code).contains(&callee) {
            graph.remember(caller, callee, code);
        }
    }
}

/// A `main` that jumped on is not on the stack any more: the thread begins with what it jumped to.
fn learn_beginning(code: &mut KnownCode, graph: &mut CallGraph, calls: &[OpenCall]) {
    let known = || {
        let all = calls.iter().rev().filter_map(|call| call.function);
        all.filter(|key| code.is_of_interest(*key) && !begins_program(code, *key))
    };
    let own = known().find(|key| !code.modules.get(key.module).is_system());
    if let Some(first) = own.or_else(|| known().next())
        && graph.begins_at(first)
    {
        graph.tell(Resource::root(Hierarchy::Code), code.name(first));
    }
}

fn begins_program(code: &KnownCode, key: FunctionKey) -> bool {
    search::first_function(code.modules.get(key.module)) == Some(key.function)
}
