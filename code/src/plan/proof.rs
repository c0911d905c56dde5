//! Proves that a function never looks above its return address, so that its frame may be moved down.
//!
//! A function that leaves by jumping to another passes on whatever lies there, untouched: the proof needs the
//! other function's proof as well, and a jump to an unknown one ends it.

use std::collections::BTreeSet;

use ahash::{HashMap, HashSet};

use super::body::Body;
use super::flow::Flow;
use crate::function::{Function, FunctionKind};
use crate::object::Object;

/// Verdicts on functions of one object, by entry.
#[derive(Debug, Default)]
pub(crate) struct Proofs {
    known: HashMap<u64, bool>,
    /// Where functions jump to while something of their frame is left.
    open_jumps: HashMap<u64, Box<[u64]>>,
}

impl Proofs {
    /// Whether the function at an entry, of which the flow is known, and all that it jumps to
    /// never look above the return address.
    pub(crate) fn may_shift(&mut self, object: &Object, entry: u64, flow: &Flow) -> bool {
        if let Some(known) = self.known.get(&entry) {
            return *known;
        }
        // Functions that jump to each other stand or fall together, so a circle proves itself.
        let mut trusted = HashSet::default();
        trusted.insert(entry);
        let mut open: Vec<u64> = Vec::new();
        let mut holds = is_local(flow);
        open.extend(flow.tail_calls.iter().filter(|_| holds));
        while let Some(callee) = open.pop().filter(|_| holds) {
            if !trusted.insert(callee) {
                continue;
            }
            match self.callees(object, callee) {
                Some(callees) if trusted.len() < MOST_CALLEES => open.extend(callees),
                _ => holds = false,
            }
        }
        self.known.insert(entry, holds);
        if holds {
            self.known.extend(trusted.into_iter().map(|proved| (proved, true)));
        }
        holds
    }

    /// Whether a function jumps to an entry while something of its own frame is left.
    pub(crate) fn jumps_with_frame(
        &mut self,
        object: &Object,
        function: &Function,
        entry: u64,
    ) -> bool {
        let found = self.open_jumps.entry(function.entry).or_insert_with(|| {
            let flow = Flow::of(object, &Body::of(object, function));
            flow.open_jumps.into_iter().collect()
        });
        found.contains(&entry)
    }

    /// What a function jumps to, if nothing else stands against its proof.
    fn callees(&mut self, object: &Object, entry: u64) -> Option<BTreeSet<u64>> {
        match self.known.get(&entry) {
            Some(true) => return Some(BTreeSet::new()),
            Some(false) => return None,
            None => {}
        }
        let function = object.functions()[object.function_at(entry)?.index()];
        let is_function = function.entry == entry
            && function.end > entry
            && matches!(function.kind, FunctionKind::Ordinary | FunctionKind::Fragment { .. });
        let body = is_function.then(|| Body::of(object, &function));
        let flow =
            body.filter(|body| body.undecodable.is_none()).map(|body| Flow::of(object, &body));
        let callees = flow.filter(is_local).map(|flow| flow.tail_calls);
        if callees.is_none() {
            self.known.insert(entry, false);
        }
        callees
    }
}

/// Whether a function by itself stays below its return address.
fn is_local(flow: &Flow) -> bool {
    flow.findings.above.is_none()
        && flow.findings.return_address.is_none()
        && flow.findings.stack_switch.is_none()
        && flow.blind_tail_call.is_none()
        && flow.ret_imm.is_none()
}

/// A chain of jumps that leads to more functions is not followed to its end.
const MOST_CALLEES: usize = 64;
