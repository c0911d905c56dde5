//! Reads the tables that indirect jumps of a function go through.
//!
//! Two forms are understood: distances of four bytes added to the table's own address, and addresses of eight
//! bytes. A table has no length of its own: it is read until an entry leads out of the function, which may
//! take in entries of a neighbour and never leaves one out.

use std::collections::BTreeSet;

use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register};

use super::body::Body;
use crate::object::Object;

/// What is known of one indirect jump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Indirect {
    /// It goes to one of these.
    Table(Vec<u64>),
    /// It goes where a pointer says: out of the function, where nothing of its frame is left.
    Pointer,
    /// It computes its target in a way that is not understood.
    Unknown,
}

/// Every indirect jump of a body, by place in its instructions.
pub(crate) fn indirect_jumps(object: &Object, body: &Body) -> Vec<(usize, Indirect)> {
    let jumps = body
        .instructions
        .iter()
        .enumerate()
        .filter(|(_, instruction)| instruction.flow_control() == FlowControl::IndirectBranch);
    let jumps: Vec<usize> = jumps.map(|(index, _)| index).collect();
    let starts = if jumps.is_empty() { BTreeSet::new() } else { super::body::targets(body) };
    jumps.into_iter().map(|index| (index, indirect(object, body, index, &starts))).collect()
}

fn indirect(object: &Object, body: &Body, index: usize, starts: &BTreeSet<u64>) -> Indirect {
    let jump = &body.instructions[index];
    if jump.op0_kind() == OpKind::Memory {
        return through_memory(object, body, jump);
    }
    let register = jump.op0_register().full_register();
    // Where it was loaded may be out of sight: a pointer, unless the function uses a table somewhere.
    let out_of_sight = || {
        let mut loads = body.instructions.iter();
        let has_table = loads.any(|load| is_load_of_distance(load) || is_load_of_address(load));
        if has_table { Indirect::Unknown } else { Indirect::Pointer }
    };
    let Some(definition) = definition(body, index, register, starts) else {
        return out_of_sight();
    };
    let defining = &body.instructions[definition];
    match defining.mnemonic() {
        Mnemonic::Mov if defining.op1_kind() == OpKind::Memory => {
            through_memory(object, body, defining)
        }
        Mnemonic::Pop => Indirect::Pointer,
        Mnemonic::Mov if defining.op1_kind() == OpKind::Register => out_of_sight(),
        Mnemonic::Add | Mnemonic::Lea => through_distances(object, body, definition),
        _ => Indirect::Unknown,
    }
}

/// A jump to what memory holds: a pointer unless the memory is indexed.
fn through_memory(object: &Object, body: &Body, access: &Instruction) -> Indirect {
    if access.memory_index() == Register::None {
        return Indirect::Pointer;
    }
    if access.memory_index_scale() != 8 || access.memory_base() != Register::None {
        return Indirect::Unknown;
    }
    let entries = read(object, body, access.memory_displacement64(), 8, |entry| {
        entry.try_into().ok().map(u64::from_le_bytes)
    });
    if entries.is_empty() { Indirect::Unknown } else { Indirect::Table(entries) }
}

/// A distance from a table added to an address: every table and every address that the function takes into
/// these registers may be the ones.
fn through_distances(object: &Object, body: &Body, add: usize) -> Indirect {
    let Some(parts) = summands(&body.instructions[add]) else { return Indirect::Unknown };
    let before = &body.instructions[add.saturating_sub(REACH)..add];
    let load = before.iter().rev().find(|load| {
        is_load_of_distance(load) && parts.contains(&load.op0_register().full_register())
    });
    let Some(load) = load else { return Indirect::Unknown };
    let [first, second] = parts;
    let base = if first == load.op0_register().full_register() { second } else { first };
    let mut tables = taken(body, load.memory_base());
    if load.memory_index_scale() == 1 {
        tables.extend(taken(body, load.memory_index()));
    }
    let mut entries = BTreeSet::new();
    for table in tables {
        let bases = if base == load.memory_base() { vec![table] } else { taken(body, base) };
        for base in bases {
            entries.extend(read(object, body, table, 4, |entry| {
                let distance = i32::from_le_bytes(entry.try_into().ok()?);
                Some(base.wrapping_add_signed(i64::from(distance)))
            }));
        }
    }
    if entries.is_empty() {
        Indirect::Unknown
    } else {
        Indirect::Table(entries.into_iter().collect())
    }
}

/// The two registers that are added.
fn summands(sum: &Instruction) -> Option<[Register; 2]> {
    if sum.mnemonic() == Mnemonic::Lea {
        let is_sum = sum.memory_index_scale() == 1
            && sum.memory_displacement64() == 0
            && sum.memory_index() != Register::None;
        return is_sum.then(|| [sum.memory_base(), sum.memory_index()]);
    }
    let kinds = [sum.op0_kind(), sum.op1_kind()];
    (kinds == [OpKind::Register; 2]).then(|| [sum.op0_register(), sum.op1_register()])
}

/// `movslq (table,index,4)`, or what is made of it without optimization: `mov (table,distance,1)`.
fn is_load_of_distance(load: &Instruction) -> bool {
    let scale = match load.mnemonic() {
        Mnemonic::Movsxd => 4,
        Mnemonic::Mov if load.op0_register().is_gpr32() => 1,
        _ => return false,
    };
    load.op1_kind() == OpKind::Memory
        && load.memory_index() != Register::None
        && load.memory_index_scale() == scale
        && load.memory_displacement64() == 0
}

/// `mov (table,index,8)`
fn is_load_of_address(load: &Instruction) -> bool {
    load.mnemonic() == Mnemonic::Mov
        && load.op0_register().is_gpr64()
        && load.op1_kind() == OpKind::Memory
        && load.memory_index() != Register::None
        && load.memory_index_scale() == 8
}

/// Every address that the function takes into a register.
fn taken(body: &Body, register: Register) -> Vec<u64> {
    let addresses = body.instructions.iter().filter(|lea| {
        lea.mnemonic() == Mnemonic::Lea
            && lea.is_ip_rel_memory_operand()
            && lea.op0_register() == register
    });
    let mut found: Vec<u64> = addresses.map(Instruction::ip_rel_memory_address).collect();
    found.sort_unstable();
    found.dedup();
    found.truncate(MOST_TABLES);
    found
}

/// Entries of a table, until one leads elsewhere.
fn read(
    object: &Object,
    body: &Body,
    table: u64,
    width: u64,
    entry: impl Fn(&[u8]) -> Option<u64>,
) -> Vec<u64> {
    let mut found = Vec::new();
    for number in 0..MOST_ENTRIES {
        let Some(at) = table.checked_add(number * width) else { break };
        let Some(end) = at.checked_add(width) else { break };
        let target = object.read(at..end).and_then(&entry);
        match target {
            Some(target) if body.contains(target) => found.push(target),
            _ => break,
        }
    }
    found
}

/// The instruction before that last wrote a register, in the same straight piece of code.
fn definition(
    body: &Body,
    index: usize,
    register: Register,
    starts: &BTreeSet<u64>,
) -> Option<usize> {
    let before = (index.saturating_sub(REACH)..index).rev();
    let mut straight = before.take_while(|at| {
        let follows = body.instructions[at + 1].ip();
        !super::body::ends(&body.instructions[*at]) && !starts.contains(&follows)
    });
    straight.find(|at| {
        let instruction = &body.instructions[*at];
        instruction.op_count() > 0
            && instruction.op0_kind() == OpKind::Register
            && instruction.op0_register().full_register() == register
            && !matches!(
                instruction.mnemonic(),
                Mnemonic::Cmp | Mnemonic::Test | Mnemonic::Push | Mnemonic::Bt
            )
    })
}

/// How many instructions before a jump are looked at.
const REACH: usize = 24;
/// Tables of one function that a register may stand for.
const MOST_TABLES: usize = 32;
/// More entries than any compiler makes.
const MOST_ENTRIES: u64 = 4096;
