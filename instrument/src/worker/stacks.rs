//! Reads the stacks of threads: finds calls that began before their functions were watched, calls that no code names, and
//! where threads begin.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_inject::StackSnapshot;

use super::call_graph::CallGraph;
use super::known_code::KnownCode;
use super::modules::Modules;
use crate::function_key::FunctionKey;

/// What a stack tells.
#[derive(Debug)]
pub(crate) struct ReadStack {
    /// The functions that the thread is in by calls that no event told of.
    pub(crate) unseen: BTreeSet<FunctionKey>,
    /// All functions that it has not returned from.
    pub(crate) functions: BTreeSet<FunctionKey>,
    /// Those of them whose outermost call is inside of a function that they called again, each with that one.
    pub(crate) between: BTreeSet<(FunctionKey, FunctionKey)>,
    /// Those in whose own code it is: the innermost one, and when that came with the system the one that called it.
    pub(crate) own: Vec<FunctionKey>,
    pub(crate) place: StackPlace,
}

/// Where the time of a thread belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StackPlace {
    /// It computes, inside of the first of these functions that is on, by a call that an event told of.
    Computing(Vec<FunctionKey>),
    /// It is in a wrapped call, or in our own code.
    Elsewhere,
}

/// Reads a stack, and takes note of which functions call which.
pub(crate) fn read(
    code: &mut KnownCode,
    graph: &mut CallGraph,
    process: u32,
    snapshot: &StackSnapshot,
) -> ReadStack {
    let calls = named_calls(code, process, snapshot);
    learn_calls(code, graph, &calls);
    if snapshot.is_whole {
        learn_beginning(code, graph, &calls);
    }
    let is_unseen = |call: &&SampledCall| matches!(call.entry, SeenEntry::No | SeenEntry::Perhaps);
    let unseen = calls.iter().filter(is_unseen);
    let unseen = unseen.filter_map(|call| call.function).collect();
    let functions: Vec<FunctionKey> = calls.iter().filter_map(|call| call.function).collect();
    let between = between(&functions);
    let (own, place) = (own_code(code, &calls), place(code, snapshot, &calls));
    ReadStack { unseen, functions: functions.into_iter().collect(), between, own, place }
}

/// The functions of interest on a stack, also around wrapped calls, and the innermost one of the program, or of what came with the system
/// where none of the program is there.
pub(crate) fn functions_on(
    code: &mut KnownCode,
    graph: &mut CallGraph,
    process: u32,
    snapshot: &StackSnapshot,
) -> (BTreeSet<FunctionKey>, Option<FunctionKey>) {
    let calls = named_calls(code, process, snapshot);
    learn_calls(code, graph, &calls);
    let known = calls.iter().filter_map(|call| call.function);
    let known: Vec<FunctionKey> = known.filter(|key| code.is_of_interest(*key)).collect();
    let is_program = |key: &&FunctionKey| !code.modules.get(key.module).is_system();
    let own = known.iter().find(is_program).or_else(|| known.first()).copied();
    (known.into_iter().collect(), own)
}

/// The function in which a thread waits: the innermost one of the program, or of what came with the system where none of the program is there.
/// None inside of a wrapped call that an event tells of.
pub(crate) fn waiting(
    code: &mut KnownCode,
    process: u32,
    snapshot: &StackSnapshot,
) -> Option<FunctionKey> {
    let calls = named_calls(code, process, snapshot);
    let is_system = |key: &FunctionKey| code.modules.get(key.module).is_system();
    let mut known: Vec<FunctionKey> = Vec::new();
    for call in calls {
        let Some(key) = call.function else { continue };
        if call.entry == SeenEntry::Yes && code.modules.is_inside_wrapped(key) {
            return None;
        }
        known.extend(Some(key).filter(|key| code.is_of_interest(*key)));
        if !is_system(&key) && !code.is_left_out(key) {
            break;
        }
    }
    known.iter().find(|key| !is_system(key)).or_else(|| known.first()).copied()
}

/// The functions whose outermost call is inside of a function that they called again, each with that one. The innermost comes first.
fn between(functions: &[FunctionKey]) -> BTreeSet<(FunctionKey, FunctionKey)> {
    let mut calls: BTreeMap<FunctionKey, (usize, usize)> = BTreeMap::new();
    for (at, function) in functions.iter().enumerate() {
        calls.entry(*function).or_insert((at, at)).1 = at;
    }
    let mut between = BTreeSet::new();
    for (function, (inner, outer)) in calls.iter().filter(|(_, (inner, outer))| inner < outer) {
        let enclosed =
            calls.iter().filter(|(_, (_, outermost))| (inner + 1..*outer).contains(outermost));
        between.extend(enclosed.map(|(one, _)| (*one, *function)));
    }
    between
}

fn place(code: &KnownCode, snapshot: &StackSnapshot, calls: &[SampledCall]) -> StackPlace {
    if snapshot.calls.first().is_none_or(|call| call.is_ours) {
        return StackPlace::Elsewhere;
    }
    let is_wrapped =
        |call: &&SampledCall| call.function.is_some_and(|key| code.modules.is_inside_wrapped(key));
    let entered = calls.iter().skip_while(|call| call.entry != SeenEntry::Yes);
    let not_entered = calls.iter().take_while(|call| call.entry != SeenEntry::Yes);
    if not_entered.chain(entered.clone().take(1)).any(|call| is_wrapped(&call)) {
        return StackPlace::Elsewhere;
    }
    let jumped_on = |call: &&SampledCall| call.entry == SeenEntry::Perhaps;
    let inside = entered.clone().take(1).chain(entered.skip(1).take_while(jumped_on));
    StackPlace::Computing(inside.filter_map(|call| call.function).collect())
}

/// A call that has not returned.
#[derive(Clone, Copy, Debug)]
struct SampledCall {
    function: Option<FunctionKey>,
    entry: SeenEntry,
}

/// Whether an event told of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SeenEntry {
    Yes,
    No,
    /// It jumped on, and of what it jumped to an event told: it may have told of this one, or of both.
    Perhaps,
    /// It is not there yet, and will be if the function is on.
    Coming,
}

/// The calls of a stack, innermost first. One that jumped on to another function has no frame any more, but the code before the return
/// address says that it was called.
fn named_calls(code: &mut KnownCode, process: u32, snapshot: &StackSnapshot) -> Vec<SampledCall> {
    let KnownCode { processes, modules, .. } = code;
    let Some(process) = processes.get_mut(&process) else { return Vec::new() };
    process.loaded(modules);
    let mut calls: Vec<SampledCall> = Vec::new();
    for (at, call) in snapshot.calls.iter().enumerate() {
        if call.is_ours {
            continue;
        }
        if let Some(inner) = calls.last()
            && let Some(called) = process.called_at(call.address, modules)
            && inner.function != Some(called)
        {
            // What of ours is between them belongs to a wrapped call, or saw the entry of one of the two.
            let is_wrapped = inner.function.is_some_and(|key| modules.is_inside_wrapped(key));
            let is_seen = inner.entry == SeenEntry::Yes && !is_wrapped;
            let entry = if is_seen { SeenEntry::Perhaps } else { SeenEntry::No };
            calls.push(SampledCall { function: Some(called), entry });
        }
        let function = process.function_at(call.address, modules);
        // Our own slot called it: its entry was seen.
        let is_seen = snapshot.calls.get(at + 1).is_some_and(|caller| caller.is_ours);
        let entry = match is_seen {
            _ if call.is_entering => SeenEntry::Coming,
            true => SeenEntry::Yes,
            false => SeenEntry::No,
        };
        calls.push(SampledCall { function, entry });
    }
    if let Some((at, main)) = jumped_main(&calls, modules) {
        calls.insert(at, SampledCall { function: Some(main), entry: SeenEntry::No });
    }
    calls
}

/// The `main` that jumped on to another function: no call names it, but from what the kernel began with one comes only to it. Before and
/// after it the C library calls others, from deeper inside of itself or for a short time. Answers where it belongs, and which it is.
fn jumped_main(calls: &[SampledCall], modules: &Modules) -> Option<(usize, FunctionKey)> {
    let first = calls.last()?.function?;
    let module = modules.get(first.module);
    let main = FunctionKey { module: first.module, function: module.jumping_main()? };
    let is_system =
        |call: &&SampledCall| call.function.is_some_and(|key| modules.get(key.module).is_system());
    let between = calls.iter().rev().skip(1).take_while(is_system).count();
    let is_begun = module.first_function() == Some(first.function) && between <= BEFORE_MAIN;
    let at = calls.len().checked_sub(1 + between)?;
    let inner = calls[..at].last()?.function?;
    let is_there = calls.iter().any(|call| call.function == Some(main));
    let has_jumped = is_begun && !is_there && modules.get(inner.module).is_program();
    has_jumped.then_some((at, main))
}

/// Functions of the C library between what the kernel begins with and `main`.
const BEFORE_MAIN: usize = 2;

/// None inside of a wrapped call: that time is told by the call's own event, and is no computing.
fn own_code(code: &KnownCode, calls: &[SampledCall]) -> Vec<FunctionKey> {
    let mut own = Vec::new();
    for key in calls.iter().map_while(|call| call.function) {
        if code.modules.is_inside_wrapped(key) {
            return Vec::new();
        }
        // What the user leaves out is a part of what called it.
        if code.is_left_out(key) {
            continue;
        }
        let is_system = code.modules.get(key.module).is_system();
        if code.is_of_interest(key) && (own.is_empty() || !is_system) {
            own.push(key);
        }
        if !is_system {
            break;
        }
    }
    own
}

/// Takes note of which function called which.
fn learn_calls(code: &mut KnownCode, graph: &mut CallGraph, calls: &[SampledCall]) {
    for (at, pair) in calls.windows(2).enumerate() {
        let (Some(callee), Some(caller)) = (pair[0].function, pair[1].function) else { continue };
        if code.is_left_out(caller) && code.is_of_interest(callee) {
            let mut around = calls[at + 2..].iter().filter_map(|call| call.function);
            let around = around.find(|key| !code.is_left_out(*key));
            if let Some(outer) = around.filter(|outer| *outer != callee)
                && graph.is_first_sight(outer, callee)
            {
                let (outer, callee) = (code.name(outer), code.name(callee));
                graph.tell(outer, callee);
            }
        }
        if callee == caller || !graph.is_first_sight(caller, callee) {
            continue;
        }
        if code.is_of_interest(callee) && !graph.has_call(caller, callee, code) {
            graph.remember(caller, callee, code);
        }
    }
}

/// A `main` that jumped on is not on the stack any more: the thread begins with what it jumped to.
fn learn_beginning(code: &mut KnownCode, graph: &mut CallGraph, calls: &[SampledCall]) {
    let known = || {
        let all = calls.iter().rev().filter_map(|call| call.function);
        all.filter(|key| code.is_of_interest(*key) && !begins_program(code, *key))
    };
    let own = known().find(|key| !code.modules.get(key.module).is_system());
    if let Some(first) = own.or_else(|| known().next()) {
        graph.lead_to(first, code);
    }
}

fn begins_program(code: &KnownCode, key: FunctionKey) -> bool {
    code.modules.get(key.module).first_function() == Some(key.function)
}

#[cfg(test)]
mod tests {
    use whyperf_code::FunctionId;

    use super::*;

    #[test]
    fn what_calls_its_caller_again_is_between_the_two() {
        let of = |numbers: &[u32]| {
            let key = |number: &u32| FunctionKey { module: 0, function: FunctionId(*number) };
            let functions: Vec<FunctionKey> = numbers.iter().map(key).collect();
            let numbers = between(&functions)
                .into_iter()
                .map(|(one, outer)| (one.function.0, outer.function.0));
            numbers.collect::<Vec<(u32, u32)>>()
        };
        assert_eq!(of(&[3, 2, 1, 0]), []);
        assert_eq!(of(&[3, 1, 1, 1, 0]), [], "a recursion holds nothing else");
        assert_eq!(of(&[4, 1, 3, 2, 1, 0]), [(2, 1), (3, 1)]);
        assert_eq!(of(&[2, 1, 2, 1, 0]), [(2, 1)], "the outermost call holds all");
    }
}
