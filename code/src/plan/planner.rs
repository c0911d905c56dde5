//! Plans one function: every check in its order, from the cheapest to the most expensive.

use super::body::Body;
use super::deny::{denied, denied_object};
use super::encode::{Plan, Ways};
use super::flow::Flow;
use super::islands::Islands;
use super::proof::Unproved;
use super::refusal::{Language, Refusal};
use super::site::{ChosenSite, Ladder};
use crate::function::{Function, FunctionId, FunctionKind};
use crate::object::Object;

/// How a function can be switched on.
///
/// # Errors
/// When it is better left alone, with the reason.
pub fn plan(object: &Object, function: FunctionId, islands: &mut Islands) -> Result<Plan, Refusal> {
    let this = object.functions().get(function.index()).ok_or(Refusal::NoSize)?;
    admit(object, function, this)?;
    let body = Body::of(object, this);
    let flow = Flow::of(object, &body);
    keep_alone(object, function, &body, islands)?;
    keep_to_the_rules(&flow)?;
    let site = Ladder { object, function: this, body: &body, flow: &flow }.climb(islands)?;
    let loops_to_entry = loops(&flow, &site)?;
    let proof = match body.undecodable {
        Some(at) => Err(Unproved::NotDecodable { at }),
        None => islands.proofs.looked_at(object, this.entry, &flow),
    };
    let ways = Ways { returns: flow.returns, loops_to_entry };
    let original = bytes(object, site.at).ok_or(Refusal::NotExecutableFile)?;
    let island = match site.island {
        Some(at) => Some(exact(object, at).ok_or(Refusal::NotExecutableFile)?),
        None => None,
    };
    Ok(Plan::new(this.entry, site, proof, ways, original, island))
}

/// What needs no look at the code.
fn admit(object: &Object, function: FunctionId, this: &Function) -> Result<(), Refusal> {
    match this.kind {
        FunctionKind::Ordinary => {}
        FunctionKind::Ifunc => return Err(Refusal::IfuncResolver),
        FunctionKind::Fragment { .. } => return Err(Refusal::ColdFragment),
        FunctionKind::PltStub => return Err(Refusal::PltStub),
    }
    let names = object.names(function);
    let by_name = names.iter().find_map(|name| denied(&name.text));
    if let Some(group) = by_name.or_else(|| denied_object(object, names.is_empty())) {
        return Err(Refusal::Denied(group));
    }
    if let Some(language) = language(object) {
        return Err(Refusal::PrivateCallingConvention(language));
    }
    if this.end <= this.entry {
        return Err(Refusal::NoSize);
    }
    match object.text(this.entry..this.end) {
        Some(_) => Ok(()),
        None => Err(Refusal::NotExecutableFile),
    }
}

/// A language that gives itself away by a section of its own.
fn language(object: &Object) -> Option<Language> {
    let marks = [
        (".gopclntab", Language::Go),
        (".data.rel.ro.gopclntab", Language::Go),
        (".note.ghc", Language::Haskell),
        (".note.ocaml_eh", Language::OCaml),
    ];
    marks.into_iter().find(|(name, _)| object.section(name).is_some()).map(|(_, language)| language)
}

/// What no form of thunk can serve.
fn keep_to_the_rules(flow: &Flow) -> Result<(), Refusal> {
    if let Some(at) = flow.ret_imm {
        return Err(Refusal::RetImm { at });
    }
    if let Some(at) = flow.findings.stack_switch {
        return Err(Refusal::StackSwitch { at });
    }
    match flow.findings.return_address {
        Some(at) => Err(Refusal::ReadsReturnAddress { at }),
        None => Ok(()),
    }
}

/// The entry is reached by calls, or by jumps of functions that have nothing left on the stack.
fn keep_alone(
    object: &Object,
    function: FunctionId,
    body: &Body,
    islands: &mut Islands,
) -> Result<(), Refusal> {
    let this = &object.functions()[function.index()];
    let is_nameless = object.names(function).is_empty();
    let functions = object.functions();
    let place = functions.partition_point(|function| function.entry < this.entry);
    let around = functions[..place].iter().rev().take(NEAR).find(|one| one.end > this.entry);
    if let Some(outer) = around {
        return Err(Refusal::InsideAnother { outer: outer.entry });
    }
    let (mut last, mut is_jumped_to, mut is_called) = (None, false, false);
    for branch in object.branches().into(this.entry..this.entry + 1) {
        if is_call(object, branch.from) {
            is_called = true;
            continue;
        }
        let Some(from) = object.function_at(branch.from) else { continue };
        if body.contains(branch.from) || last == Some(from) {
            continue;
        }
        is_jumped_to = true;
        last = Some(from);
        let other = &functions[from.index()];
        if islands.proofs.jumps_with_frame(object, other, this.entry) {
            return Err(Refusal::EnteredByJump { from: other.entry });
        }
    }
    // A piece of a function without a frame begins as a function does, but flags may be alive there.
    if is_nameless && is_jumped_to && !is_called {
        return Err(Refusal::ColdFragment);
    }
    Ok(())
}

fn is_call(object: &Object, at: u64) -> bool {
    let bytes = at.checked_add(5).and_then(|end| object.text(at..end));
    bytes.is_some_and(|bytes| bytes[0] == 0xe8)
}

/// Whether a jump that stays where it is leads to the entry.
fn loops(flow: &Flow, site: &ChosenSite) -> Result<bool, Refusal> {
    let mut kept = flow
        .entry_jumps
        .iter()
        .filter(|(from, _)| !site.displaced.iter().any(|one| one.at == *from));
    let open = kept.clone().find(|(_, is_bare)| !is_bare);
    match open {
        Some((from, _)) => Err(Refusal::LoopToEntry { from: *from }),
        None => Ok(kept.next().is_some()),
    }
}

/// Eight bytes of code; zeros behind the end of the segment.
fn bytes(object: &Object, at: u64) -> Option<[u8; 8]> {
    let mut found = [0; 8];
    let longest = (2..=8).rev().find_map(|length| object.text(at..at.checked_add(length)?))?;
    found[..longest.len()].copy_from_slice(longest);
    Some(found)
}

fn exact(object: &Object, at: u64) -> Option<[u8; 5]> {
    object.text(at..at.checked_add(5)?)?.try_into().ok()
}

/// Functions around others lie close before them.
const NEAR: usize = 8;
