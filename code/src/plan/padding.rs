//! Finds bytes between instructions that are never executed: what compilers put in to align code.

use std::collections::BTreeSet;
use std::ops::Range;

use iced_x86::{Decoder, DecoderOptions, Instruction};

use super::body::{self, Body};
use super::flow::is_padding;
use super::jump_table::{Indirect, indirect_jumps};
use super::landing::call_sites;
use crate::function::FunctionId;
use crate::object::Object;

/// Runs of dead bytes inside of a function and between it and the next, by address.
pub(crate) fn dead_bytes(object: &Object, function: FunctionId) -> Vec<Range<u64>> {
    let functions = object.functions();
    let this = &functions[function.index()];
    let next = functions.get(function.index() + 1).map_or(u64::MAX, |next| next.entry);
    if this.end <= this.entry || this.end - this.entry > LONGEST {
        return Vec::new();
    }
    let body = Body::alone(object, this);
    let mut found = if body.undecodable.is_some() { Vec::new() } else { between(object, &body) };
    if this.end <= next {
        found.extend(behind(object, &body, this.end..next));
    }
    found.retain(|run| object.branches().into(run.clone()).next().is_none());
    found
}

/// Padding behind what a body ends with.
fn behind(object: &Object, body: &Body, gap: Range<u64>) -> Option<Range<u64>> {
    let last = body.instructions.last()?;
    if last.next_ip() != gap.start || !body::ends(last) {
        return None;
    }
    let end = padding_end(object, gap.clone());
    (end > gap.start).then_some(gap.start..end)
}

/// How far padding goes from the start of a range.
pub(crate) fn padding_end(object: &Object, gap: Range<u64>) -> u64 {
    let longest = gap.start..gap.end.min(gap.start.saturating_add(LONGEST_PADDING));
    let segment = object.executable().iter().find(|part| part.contains(&gap.start));
    let end = segment.map_or(gap.start, |segment| segment.end.min(longest.end));
    let Some(bytes) = object.text(gap.start..end) else { return gap.start };
    let mut decoder = Decoder::with_ip(64, bytes, gap.start, DecoderOptions::NONE);
    let mut dead = gap.start;
    while decoder.can_decode() {
        let instruction = decoder.decode();
        if instruction.is_invalid() || !is_padding(&instruction) {
            break;
        }
        dead = instruction.next_ip();
    }
    dead
}

/// Padding between the instructions of a body: behind one that never goes on, and nothing leads into it.
fn between(object: &Object, body: &Body) -> Vec<Range<u64>> {
    let Some(targets) = all_targets(object, body) else { return Vec::new() };
    let mut found = Vec::new();
    let mut open: Option<Range<u64>> = None;
    let mut after_end = false;
    for instruction in &body.instructions {
        let is_dead = is_padding(instruction) && (after_end || open.is_some());
        if is_dead && !targets.contains(&instruction.ip()) {
            let start = open.map_or_else(|| instruction.ip(), |run| run.start);
            open = Some(start..instruction.next_ip());
        } else if let Some(run) = open.take()
            && is_kept_apart(instruction, &targets)
        {
            found.push(run);
        }
        after_end = body::ends(instruction);
    }
    found
}

/// What follows padding is entered by a jump, else it would be dead as well or something unknown leads there.
fn is_kept_apart(instruction: &Instruction, targets: &BTreeSet<u64>) -> bool {
    targets.contains(&instruction.ip())
}

/// Everything inside a body that something leads to, where that is known.
fn all_targets(object: &Object, body: &Body) -> Option<BTreeSet<u64>> {
    let mut targets = body::targets(body);
    for (_, jump) in indirect_jumps(object, body) {
        match jump {
            Indirect::Table(entries) => targets.extend(entries),
            Indirect::Pointer => {}
            Indirect::Unknown => return None,
        }
    }
    for range in &body.ranges {
        targets.extend(call_sites(object, range.start)?.iter().map(|site| site.landing));
        targets.extend(object.branches().into(range.clone()).map(|branch| branch.to));
    }
    Some(targets)
}

/// A function longer than this is not searched.
const LONGEST: u64 = 1 << 20;
/// Padding that is longer is not looked at to its end.
const LONGEST_PADDING: u64 = 256;
