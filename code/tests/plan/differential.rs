//! The relocated entry of each function of the system's libraries behaves as the original.

use iced_x86::{Decoder, DecoderOptions, Mnemonic};
use whyperf_code::Object;
use whyperf_code::plan::{Encoded, Plan};

use crate::libraries::{LIBRARIES, is_whole, open, plan_all};
use crate::oracle::Image;

#[test]
fn relocated_entries_behave_as_the_original() {
    let states = if is_whole() { 24 } else { 3 };
    for name in LIBRARIES {
        let Some(object) = open(name) else { continue };
        compare(&object, name, states);
    }
}

/// Runs every function of an object that can be planned.
fn compare(object: &Object, name: &str, states: u64) {
    let image = Image::of(object.path());
    let plans: Vec<Plan> =
        plan_all(object).into_iter().filter_map(|(_, planned)| planned.ok()).collect();
    assert!(plans.len() > 100, "{name}: {} functions can be planned", plans.len());
    let mut cases: Vec<(u64, Encoded, u64)> = Vec::new();
    let mut differs_each_time = 0;
    for plan in &plans {
        if asks_the_clock(object, plan) {
            differs_each_time += 1;
            continue;
        }
        let (encoded, word) = image
            .encode(plan, cases.len())
            .unwrap_or_else(|refusal| panic!("{name}: {:#x}: {refusal}", plan.entry));
        cases.push((plan.entry, encoded, word));
    }
    let verdict = image.ask(&cases, states);
    println!("{name}: {} of {} plans, {}", cases.len(), plans.len(), verdict.text);
    assert_eq!(verdict.mismatches, 0, "{name}:\n{}", verdict.text);
    assert_eq!(verdict.cases, cases.len());
    assert_eq!(verdict.runs, cases.len() * 2 * states as usize);
    assert!(differs_each_time <= 4, "{name}: {differs_each_time} functions ask the clock at once");
    assert!(verdict.unfinished * 50 <= verdict.runs, "{name}: {verdict:?}");
    assert!(verdict.inexact * 50 <= verdict.runs, "{name}: {verdict:?}");
}

/// Whether what is displaced gives another result each time it runs.
fn asks_the_clock(object: &Object, plan: &Plan) -> bool {
    let bytes = object.text(plan.entry..plan.resume).expect("the displaced bytes are code");
    let mut decoder = Decoder::with_ip(64, bytes, plan.entry, DecoderOptions::NONE);
    decoder.iter().any(|instruction| {
        matches!(
            instruction.mnemonic(),
            Mnemonic::Rdtsc | Mnemonic::Rdtscp | Mnemonic::Rdrand | Mnemonic::Rdseed
        )
    })
}

/// A wrong copy is seen: the oracle itself is tried with copies that were tampered with.
#[test]
fn the_oracle_sees_a_wrong_copy() {
    let Some(object) = open("libc.so.6") else { return };
    let image = Image::of(object.path());
    let plans = plan_all(&object).into_iter().filter_map(|(_, planned)| planned.ok());
    let mut cases = Vec::new();
    for plan in plans.step_by(97) {
        let (mut encoded, word) = image.encode(&plan, cases.len()).expect("within reach");
        // The jump back leads one byte too far.
        let jump = encoded.code.len() - 5;
        if encoded.code[jump] == 0xe9 && encoded.boundaries.is_empty() {
            encoded.code[jump + 1] = encoded.code[jump + 1].wrapping_add(1);
            cases.push((plan.entry, encoded, word));
        }
    }
    assert!(cases.len() > 5, "{} copies end by a jump back", cases.len());
    let verdict = image.ask(&cases, 4);
    assert!(verdict.mismatches >= cases.len(), "{}", verdict.text);
}
