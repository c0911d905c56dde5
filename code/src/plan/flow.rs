//! Follows the stack pointer along every way through a function.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{Code, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, Register};

use super::body::{self, Body};
use super::jump_table::{Indirect, indirect_jumps};
use super::landing::{CallSite, call_sites};
use super::stack_state::{Findings, StackState, Value};
use crate::object::Object;

/// What the ways through a function have shown.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// What single instructions showed.
    pub(crate) findings: Findings,
    /// A return that takes arguments off the stack.
    pub(crate) ret_imm: Option<u64>,
    /// Whether there is a way that returns or jumps to another function.
    pub(crate) returns: bool,
    /// Functions of this object that it jumps to with its frame gone.
    pub(crate) tail_calls: BTreeSet<u64>,
    /// Addresses outside that it jumps to while something of its frame is left.
    pub(crate) open_jumps: BTreeSet<u64>,
    /// A jump to a function that is not known, with its frame gone.
    pub(crate) blind_tail_call: Option<u64>,
    /// Jumps to its own entry, and whether its frame was gone.
    pub(crate) entry_jumps: Vec<(u64, bool)>,
    /// An indirect jump that is not understood.
    pub(crate) unknown_jump: Option<u64>,
    /// Where jump tables lead, with the jump.
    pub(crate) table_targets: BTreeMap<u64, u64>,
    /// Where exceptions enter.
    pub(crate) landings: BTreeSet<u64>,
    /// Whether the tables of exceptions could be read.
    pub(crate) has_unread_landings: bool,
}

impl Flow {
    /// Follows all ways through a body.
    pub(crate) fn of(object: &Object, body: &Body) -> Self {
        let mut walk = Walk::new(object, body);
        walk.reach(body.index_of(body.ranges.first().map_or(0, |range| range.start)));
        walk.run();
        walk.guess_unreached();
        walk.flow
    }
}

struct Walk<'a> {
    body: &'a Body,
    flow: Flow,
    info: InstructionInfoFactory,
    jumps: BTreeMap<usize, Indirect>,
    sites: Vec<CallSite>,
    /// State before the first instruction of each straight piece, and how often it was joined.
    states: BTreeMap<usize, (StackState, u32)>,
    pending: Vec<usize>,
    reached: Vec<bool>,
    /// What holds where control is lost sight of.
    wild: Option<StackState>,
    starts: BTreeSet<usize>,
}

impl<'a> Walk<'a> {
    fn new(object: &Object, body: &'a Body) -> Self {
        let jumps: BTreeMap<usize, Indirect> = indirect_jumps(object, body).into_iter().collect();
        let mut flow = Flow::default();
        let mut sites = Vec::new();
        for range in &body.ranges {
            match call_sites(object, range.start) {
                Some(found) => sites.extend(found),
                None => flow.has_unread_landings = true,
            }
        }
        flow.landings = sites.iter().map(|site| site.landing).collect();
        for (index, jump) in &jumps {
            if let Indirect::Table(targets) = jump {
                let from = body.instructions[*index].ip();
                flow.table_targets.extend(targets.iter().map(|target| (*target, from)));
            }
        }
        let inside = body::targets(body);
        let starts = inside.iter().chain(&flow.landings).chain(flow.table_targets.keys());
        let starts = starts.filter_map(|target| body.index_of(*target)).collect();
        Self {
            body,
            flow,
            info: InstructionInfoFactory::new(),
            jumps,
            sites,
            states: BTreeMap::new(),
            pending: Vec::new(),
            reached: vec![false; body.instructions.len()],
            wild: None,
            starts,
        }
    }

    fn reach(&mut self, entry: Option<usize>) {
        if let Some(entry) = entry {
            self.starts.insert(entry);
            self.enter(entry, &StackState::at_entry());
        }
    }

    fn run(&mut self) {
        while let Some(start) = self.pending.pop() {
            let Some((state, _)) = self.states.get(&start) else { continue };
            let state = state.clone();
            self.straight(start, state);
        }
    }

    /// From the start of a straight piece to its end, or to the start of the next.
    fn straight(&mut self, start: usize, mut state: StackState) {
        let mut index = start;
        loop {
            self.reached[index] = true;
            let instruction = &self.body.instructions[index];
            if !self.step(index, instruction, &mut state) {
                return;
            }
            let Some(next) = self.body.next(index) else { return };
            if self.starts.contains(&next) {
                self.enter(next, &state);
                return;
            }
            index = next;
        }
    }

    /// The effect of one instruction; whether the next one follows.
    fn step(&mut self, index: usize, instruction: &'a Instruction, state: &mut StackState) -> bool {
        match instruction.flow_control() {
            FlowControl::Return => self.returning(instruction, state),
            FlowControl::UnconditionalBranch => self.jump(instruction, state),
            FlowControl::ConditionalBranch => {
                self.jump(instruction, state);
                if matches!(instruction.code(), Code::Jne_rel8_64 | Code::Jne_rel32_64)
                    && let Some(before) = index.checked_sub(1)
                {
                    state.equal(&self.body.instructions[before]);
                }
                return true;
            }
            FlowControl::IndirectBranch => self.indirect(index, instruction, state),
            FlowControl::Call | FlowControl::IndirectCall => {
                self.call(instruction, state);
                return true;
            }
            FlowControl::Exception | FlowControl::Interrupt => {
                return instruction.mnemonic() != Mnemonic::Ud2;
            }
            _ => {
                state.step(instruction, &mut self.info, &mut self.flow.findings);
                return true;
            }
        }
        false
    }

    fn returning(&mut self, instruction: &Instruction, state: &StackState) {
        self.flow.returns = true;
        if instruction.op_count() > 0 {
            self.flow.ret_imm.get_or_insert_with(|| instruction.ip());
        }
        if state.stack_pointer() != Value::Exactly(0) {
            self.unproved(instruction);
        }
    }

    fn jump(&mut self, instruction: &Instruction, state: &StackState) {
        let target = instruction.near_branch_target();
        let is_bare = state.stack_pointer() == Value::Exactly(0);
        if let Some(index) = self.body.index_of(target) {
            if self.is_entry(target) {
                self.flow.entry_jumps.push((instruction.ip(), is_bare));
            }
            self.enter(index, state);
            return;
        }
        self.flow.returns = true;
        if is_bare && !self.body.contains(target) {
            self.flow.tail_calls.insert(target);
        } else {
            self.flow.open_jumps.insert(target);
            self.unproved(instruction);
        }
    }

    fn is_entry(&self, target: u64) -> bool {
        let Some(entry) = self.body.ranges.first() else { return false };
        let first = self.body.index_of(entry.start);
        let behind = first
            .filter(|first| self.body.instructions[*first].mnemonic() == Mnemonic::Endbr64)
            .map(|first| self.body.instructions[first].next_ip());
        target == entry.start || Some(target) == behind
    }

    fn indirect(&mut self, index: usize, instruction: &Instruction, state: &StackState) {
        state.look(instruction, &mut self.flow.findings);
        let jump = self.jumps.get(&index).cloned().unwrap_or(Indirect::Unknown);
        match jump {
            Indirect::Table(targets) => {
                for target in targets {
                    if let Some(index) = self.body.index_of(target) {
                        self.enter(index, state);
                    }
                }
            }
            Indirect::Pointer if state.stack_pointer() == Value::Exactly(0) => {
                self.flow.returns = true;
                self.flow.blind_tail_call.get_or_insert_with(|| instruction.ip());
            }
            Indirect::Pointer | Indirect::Unknown => {
                self.flow.returns = true;
                self.flow.unknown_jump.get_or_insert_with(|| instruction.ip());
                if state.stack_pointer() == Value::Exactly(0) {
                    self.flow.blind_tail_call.get_or_insert_with(|| instruction.ip());
                }
                self.lose(state);
            }
        }
    }

    fn call(&mut self, instruction: &'a Instruction, state: &mut StackState) {
        let target = instruction.near_branch_target();
        let inside = instruction.flow_control() == FlowControl::Call
            && self.body.contains(target)
            && !self.is_entry(target);
        if inside {
            self.unproved(instruction);
            if let Some(index) = self.body.index_of(target) {
                let mut lost = state.clone();
                lost.lose_stack_pointer();
                self.enter(index, &lost);
            }
        }
        state.look(instruction, &mut self.flow.findings);
        state.call();
        self.throw(instruction.ip(), state);
    }

    /// An exception that comes out of a call.
    fn throw(&mut self, at: u64, after: &StackState) {
        let landings: Vec<u64> = self
            .sites
            .iter()
            .filter(|site| site.calls.contains(&at))
            .map(|site| site.landing)
            .collect();
        for landing in landings {
            if let Some(index) = self.body.index_of(landing) {
                self.enter(index, after);
            }
        }
        if self.flow.has_unread_landings {
            self.lose(after);
        }
    }

    fn enter(&mut self, index: usize, state: &StackState) {
        match self.states.get_mut(&index) {
            None => {
                self.states.insert(index, (state.clone(), 0));
                self.pending.push(index);
            }
            Some((known, joins)) => {
                let is_less =
                    if *joins < PATIENCE { known.join(state) } else { known.join_again(state) };
                if !is_less {
                    return;
                }
                *joins += 1;
                if *joins > MOST_JOINS {
                    known.lose_stack_pointer();
                }
                if *joins <= MOST_JOINS + 1 {
                    self.pending.push(index);
                }
            }
        }
    }

    fn lose(&mut self, state: &StackState) {
        match &mut self.wild {
            Some(wild) => {
                wild.join(state);
            }
            None => self.wild = Some(state.clone()),
        }
    }

    /// Code that only a jump out of sight can lead to is entered with what held there.
    fn guess_unreached(&mut self) {
        let mut from = 0;
        while let Some(wild) = self.wild.clone() {
            let left = (from..self.reached.len()).find(|index| {
                !self.reached[*index] && !is_padding(&self.body.instructions[*index])
            });
            let Some(index) = left else { return };
            self.starts.insert(index);
            self.enter(index, &wild);
            self.run();
            from = index + 1;
        }
    }

    fn unproved(&mut self, instruction: &Instruction) {
        self.flow.findings.above.get_or_insert_with(|| instruction.ip());
    }
}

/// Whether it does nothing but fill.
pub(crate) fn is_padding(instruction: &Instruction) -> bool {
    match instruction.mnemonic() {
        Mnemonic::Nop | Mnemonic::Int3 => true,
        // `xchg %ax,%ax` with its prefix.
        Mnemonic::Xchg => {
            instruction.op0_register() == instruction.op1_register()
                && instruction.op0_register() == Register::AX
        }
        _ => false,
    }
}

/// After so many joins that changed a state, what still changes is let go but for the stack pointer.
const PATIENCE: u32 = 3;
/// A state that still changes after so many joins has a stack pointer that a loop moves: it is given up.
const MOST_JOINS: u32 = 64;
