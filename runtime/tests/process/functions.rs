//! Calls of instrumented functions, and signal handlers that make such calls between any two
//! instructions of them.

use crate::measured::{only, own, run};
use crate::threads::tell;
use crate::{stepping, visit};
use std::arch::global_asm;
use std::fs;
use std::sync::atomic::Ordering::Relaxed;
use whyperf_layout::patch::CODE;
use whyperf_layout::{Command, Kind, Outcome, Patch, ThunkForm, geometry};
use whyperf_runtime::Region;
use whyperf_runtime::patch::{compiled, departure};

// Two functions whose first instruction is as long as a jump.
global_asm!(
    ".text",
    ".balign 16",
    ".globl stepped_work, stepped_handler",
    ".hidden stepped_work, stepped_handler",
    ".type stepped_work,@function",
    ".type stepped_handler,@function",
    "stepped_work: .byte 0x0f, 0x1f, 0x44, 0, 0",
    "ret",
    ".balign 16",
    "stepped_handler: .byte 0x0f, 0x1f, 0x44, 0, 0",
    "ret",
);

// SAFETY: the functions above take nothing and answer nothing.
unsafe extern "C" {
    safe fn stepped_work();
    safe fn stepped_handler();
}

static READY: Region = Region::new(c"ready", Kind::User);
/// Numbers of the functions' regions: the first of all is that of [`READY`].
const WORK: usize = 2;
const HANDLER: usize = 3;

/// The functions' addresses.
fn functions() -> [u64; 2] {
    [stepped_work as *const () as u64, stepped_handler as *const () as u64]
}

/// Registers the thread, has both functions armed as their records say, and switches them on.
fn arm(records: [Patch; 2]) {
    let region = own();
    for (at, patch) in records.iter().enumerate() {
        region.patch(at).write(patch);
    }
    tell(&region, Command::Arm { first: 0, count: 2 }.encode());
    for (at, id) in [WORK, HANDLER].into_iter().enumerate() {
        let result = region.result(at).load(Relaxed);
        assert_eq!(result, (id as u64) << 32 | Outcome::Done as u64, "record {at}");
        tell(&region, Command::SwitchOn { region: id as u32 }.encode());
    }
}

/// Has the functions' code changed, as a daemon would for functions that were not prepared for it.
fn arm_slots() {
    visit(&READY, || ());
    let code = free_memory_below(functions()[0]);
    let sizes = (geometry::PAGE as u64) << 32 | geometry::PAGE as u64;
    tell(
        &own(),
        Command::MapArena { address: code, data: sizes as u32, code: (sizes >> 32) as u32 }
            .encode(),
    );
    let [work, handler] = functions();
    arm([plan(work, code, 0), plan(handler, code, 1)]);
}

/// A page border near the function where two pages are free.
fn free_memory_below(function: u64) -> u64 {
    const FAR: u64 = 64 << 20;
    let maps = fs::read_to_string("/proc/self/maps").expect("it is ours");
    let is_taken = |at: u64| {
        maps.lines().any(|line| {
            let (start, rest) = line.split_once('-').expect("a range");
            let (end, _) = rest.split_once(' ').expect("a range");
            let number = |text| u64::from_str_radix(text, 16).expect("an address");
            at + 2 * geometry::PAGE as u64 > number(start) && at < number(end)
        })
    };
    let pages = (function - FAR) / geometry::PAGE as u64;
    let mut borders = (0..pages).rev().map(|page| page * geometry::PAGE as u64);
    borders.find(|at| !is_taken(*at)).expect("room below the program")
}

/// What is to be done to one of the functions, with the `nth` word and stub of the arena.
fn plan(entry: u64, arena: u64, nth: u64) -> Patch {
    const NOP: [u8; 5] = [0x0f, 0x1f, 0x44, 0, 0];
    const STUB: u64 = 128;
    let (word, stub) = (arena + 8 * nth, arena + geometry::PAGE as u64 + STUB * nth);
    let copy = stub + 8;
    let mut code = Vec::from([0xff, 0x25]);
    code.extend(distance(stub + 6, word));
    code.extend([0xcc, 0xcc]);
    code.extend(NOP);
    code.extend(jump(copy + 5, entry + 5));
    let length = code.len() as u64;
    code.resize(CODE, 0);
    let mut patch = Patch { entry, site: entry, length: 5, stub, copy, word, ..Patch::default() };
    patch.thunk = ThunkForm::Shift as u64;
    patch.original = number(NOP);
    patch.patched = number(jump(entry, stub));
    patch.code_length = length;
    patch.code.0.copy_from_slice(&code);
    patch
}

fn jump(at: u64, to: u64) -> [u8; 5] {
    let [a, b, c, d] = distance(at + 5, to);
    [0xe9, a, b, c, d]
}

fn distance(from: u64, to: u64) -> [u8; 4] {
    i32::try_from(to.wrapping_sub(from) as i64).expect("they are near").to_le_bytes()
}

fn number([a, b, c, d, e]: [u8; 5]) -> u64 {
    u64::from_le_bytes([a, b, c, d, e, 0, 0, 0])
}

/// Steps through calls of the first function while a handler calls the second one; `dropped` events
/// are counted for one call that cannot be recorded.
fn check(region: &crate::measured::Region, dropped: u64) {
    let slot = region.slot();
    // One call before the rounds, and one round without the handler.
    let rounds = slot.visits_of(WORK) - 2;
    let handled = slot.visits_of(HANDLER) - 1;
    let unseen = slot.head().dropped.load(Relaxed);
    assert!(rounds > 50, "only {rounds} instructions");
    assert!(unseen > 0 && handled > 0, "{unseen} dropped, {handled} handled");
    assert_eq!(handled + unseen / dropped, rounds);
    assert_eq!(slot.anomalies(), 0);
    slot.check_whole();
}

/// Ends whatever is still listed, which is nothing: what is would be counted once more.
fn leave_all() {
    let here = 0_u64;
    departure::jump(&raw const here as u64 + (1 << 20));
}

fn step_slots() {
    arm_slots();
    stepped_work();
    stepped_handler();
    stepping::at_every_step(|| stepped_handler(), |_| stepped_work());
    leave_all();
}

#[test]
fn a_handler_may_come_at_any_instruction_of_a_function_s_slot() {
    check(&only(run(&[], step_slots)), 1);
}

#[test]
fn a_handler_may_come_at_any_instruction_of_a_slot_s_cold_path() {
    check(&only(run(&[("WHYPERF_CALLPATH_DEPTH", "3")], step_slots)), 1);
}

/// A call of a function that announces its calls itself.
fn announced(function: u64) {
    let frame = 0_u64;
    compiled::enter(function, &raw const frame as u64 & !7);
    compiled::exit(function);
}

#[test]
fn a_handler_may_come_at_any_instruction_of_a_function_that_announces_itself() {
    let region = only(run(&[], || {
        visit(&READY, || ());
        arm(functions().map(|entry| Patch { entry, ..Patch::default() }));
        functions().into_iter().for_each(announced);
        stepping::at_every_step(|| announced(functions()[1]), |_| announced(functions()[0]));
        leave_all();
    }));
    // Neither its begin nor its end.
    check(&region, 2);
}
