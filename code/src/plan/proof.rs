//! Proves that a function never reads above its return address, so that its frame may be moved down; or how far it looks,
//! so that what lies there may be copied along.
//!
//! A function that leaves by jumping to another passes on whatever lies there, untouched: the proof needs the
//! other function's proof as well, and a jump to an unknown one ends it.

use std::collections::BTreeSet;
use std::fmt;

use ahash::{HashMap, HashSet};

use super::body::Body;
use super::flow::Flow;
use super::prototype::takes_registers;
use crate::function::{Function, FunctionId, FunctionKind};
use crate::object::Object;

/// Why it is not proved how far above its return address a function looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unproved {
    /// An instruction that may look there.
    Looks {
        /// The instruction, of the function or of one that it jumps to.
        at: u64,
    },
    /// A jump, with the frame gone, to a function that is not known, which may look there.
    Leaves {
        /// The jump or what it leads to.
        at: u64,
    },
    /// Not all of its code can be decoded.
    NotDecodable {
        /// Where decoding stopped.
        at: u64,
    },
}

impl fmt::Display for Unproved {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Looks { at } => {
                write!(to, "the instruction at {at:#x} may use stacked arguments")
            }
            Self::Leaves { at } => {
                write!(to, "the function behind the jump at {at:#x} is not known")
            }
            Self::NotDecodable { at } => write!(to, "the bytes at {at:#x} are no instruction"),
        }
    }
}

/// How many words above its return address a function uses, with all that it jumps to.
pub(crate) type StackWords = u8;

/// Verdicts on functions of one object, by entry.
#[derive(Debug, Default)]
pub(crate) struct Proofs {
    known: HashMap<u64, Result<StackWords, Unproved>>,
    /// Where functions jump to while something of their frame is left.
    open_jumps: HashMap<u64, Box<[u64]>>,
    /// Entries of the object's own functions by the hash of their names, once needed.
    definitions: Option<HashMap<u64, u64>>,
}

impl Proofs {
    /// How far above the return address the function at an entry, of which the flow is known, and all that it
    /// jumps to look.
    pub(crate) fn looked_at(
        &mut self,
        object: &Object,
        entry: u64,
        flow: &Flow,
    ) -> Result<StackWords, Unproved> {
        if let Some(known) = self.known.get(&entry) {
            return *known;
        }
        // Functions that jump to each other stand or fall together, so a circle proves itself.
        let mut trusted = HashSet::default();
        trusted.insert(entry);
        let is_named = is_proved_by_name(object, entry) && flow.findings.reach.is_none();
        let verdict = match self.follow(object, flow, &mut trusted) {
            Err(Unproved::Leaves { .. }) if is_named => Ok(0),
            verdict => verdict,
        };
        self.known.insert(entry, verdict);
        // Of those that it jumps to it is only known that they look no further.
        if verdict == Ok(0) && !is_named {
            self.known.extend(trusted.into_iter().map(|proved| (proved, Ok(0))));
        }
        verdict
    }

    fn follow(
        &mut self,
        object: &Object,
        flow: &Flow,
        trusted: &mut HashSet<u64>,
    ) -> Result<StackWords, Unproved> {
        let mut words = alone(flow)?;
        let mut open: Vec<u64> = flow.tail_calls.iter().copied().collect();
        while let Some(callee) = open.pop() {
            if !trusted.insert(callee) {
                continue;
            }
            if trusted.len() > MOST_CALLEES {
                return Err(Unproved::Leaves { at: callee });
            }
            let (own, callees) = self.callees(object, callee)?;
            words = words.max(own);
            open.extend(callees);
        }
        Ok(words)
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

    /// What a function uses and jumps to, if nothing else stands against its proof.
    fn callees(
        &mut self,
        object: &Object,
        entry: u64,
    ) -> Result<(StackWords, BTreeSet<u64>), Unproved> {
        if let Some(known) = self.known.get(&entry) {
            return known.map(|words| (words, BTreeSet::new()));
        }
        let callees = match stub_name(object, entry) {
            Some(name) => self.behind_stub(object, entry, &name).map(|behind| (0, behind)),
            None => callees(object, entry),
        };
        if let Err(unproved) = callees {
            self.known.insert(entry, Err(unproved));
        }
        callees
    }

    /// A stub may lead to a function of its own object, which has the prototype of whatever stands in for it.
    fn behind_stub(
        &mut self,
        object: &Object,
        stub: u64,
        name: &str,
    ) -> Result<BTreeSet<u64>, Unproved> {
        if takes_registers(name) {
            return Ok(BTreeSet::new());
        }
        let defined = self.definitions.get_or_insert_with(|| definitions(object));
        let entry = defined.get(&hash(name)).copied();
        let entry = entry.filter(|entry| has_name(object, *entry, name));
        entry.map(|entry| BTreeSet::from([entry])).ok_or(Unproved::Leaves { at: stub })
    }
}

/// Entries of an object's own functions, by the hash of each name.
fn definitions(object: &Object) -> HashMap<u64, u64> {
    let functions = object.functions();
    let mut found = HashMap::default();
    for (index, function) in functions.iter().enumerate().take(MOST_NAMED) {
        let Ok(index) = u32::try_from(index) else { break };
        if function.kind == FunctionKind::Ordinary {
            for name in object.names(FunctionId(index)) {
                found.insert(hash(&name.text), function.entry);
            }
        }
    }
    found
}

fn hash(name: &str) -> u64 {
    ahash::RandomState::with_seeds(1, 2, 3, 4).hash_one(name)
}

fn has_name(object: &Object, entry: u64, name: &str) -> bool {
    let id = object.function_beginning(entry);
    id.is_some_and(|id| object.names(id).iter().any(|one| one.text == name))
}

/// The name a stub leads to.
fn stub_name(object: &Object, entry: u64) -> Option<String> {
    let id = object.function_beginning(entry)?;
    let is_stub = object.functions()[id.index()].kind == FunctionKind::PltStub;
    let mut names = object.names(id).into_iter().filter(|_| is_stub);
    names.next().map(|name| name.text)
}

fn is_proved_by_name(object: &Object, entry: u64) -> bool {
    let id = object.function_beginning(entry);
    id.is_some_and(|id| object.names(id).iter().any(|name| takes_registers(&name.text)))
}

fn callees(object: &Object, entry: u64) -> Result<(StackWords, BTreeSet<u64>), Unproved> {
    let leaves = Unproved::Leaves { at: entry };
    let function = object.functions()[object.function_at(entry).ok_or(leaves)?.index()];
    let is_function = function.entry == entry
        && function.end > entry
        && matches!(function.kind, FunctionKind::Ordinary | FunctionKind::Fragment { .. });
    if is_proved_by_name(object, entry) {
        return Ok((0, BTreeSet::new()));
    }
    if !is_function {
        return Err(leaves);
    }
    let body = Body::of(object, &function);
    if let Some(at) = body.undecodable {
        return Err(Unproved::NotDecodable { at });
    }
    let flow = Flow::of(object, &body);
    Ok((alone(&flow)?, flow.tail_calls))
}

/// How far above its return address a function by itself looks.
fn alone(flow: &Flow) -> Result<StackWords, Unproved> {
    let findings = &flow.findings;
    let looks =
        findings.above.or(findings.return_address).or(findings.stack_switch).or(flow.ret_imm);
    if let Some(at) = looks {
        return Err(Unproved::Looks { at });
    }
    if let Some(at) = flow.blind_tail_call {
        return Err(Unproved::Leaves { at });
    }
    let Some((end, at)) = findings.reach else { return Ok(0) };
    let words = u64::try_from(end - RETURN_ADDRESS).unwrap_or(u64::MAX).div_ceil(8);
    StackWords::try_from(words)
        .ok()
        .filter(|words| *words <= MOST_WORDS)
        .ok_or(Unproved::Looks { at })
}

/// Bytes of the return address.
const RETURN_ADDRESS: i64 = 8;
/// Words that a thunk may copy along.
const MOST_WORDS: StackWords = 16;
/// Functions whose names are looked through for what a stub leads to.
const MOST_NAMED: usize = 50_000;
/// A chain of jumps that leads to more functions is not followed to its end.
const MOST_CALLEES: usize = 64;
