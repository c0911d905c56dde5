//! Damaged objects are planned without harm: every answer is a plan that can be encoded, or a refusal.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use iced_x86::{Decoder, DecoderOptions, Mnemonic, OpKind};
use whyperf_code::plan::{Plan, Refusal, STUB_LENGTH};
use whyperf_code::{Object, Opening};

use crate::assembly::{Room, build, built, function, run};
use crate::libraries::plan_all;

/// Code with tables, handlers, calls and islands.
const PROGRAM: &str = r#"
int other(int);
static int shared[64];
int choose(int n) {
    switch (n) {
    case 0: return other(3);
    case 1: return other(n) + 1;
    case 2: shared[n] = 7; return 5;
    case 3: return shared[other(n) & 63];
    case 4: return n * 11;
    case 5: return other(other(n));
    default: return -1;
    }
}
double sum(const double *from, int count, double a, long b, long c, long d, long e, long f) {
    double total = a;
    double kept[count];
    for (int i = 0; i < count; i++) kept[i] = from[i] * (b + c + d + e + f);
    for (int i = 0; i < count; i++) total += kept[i];
    return total;
}
int other(int n) { return n > 0 ? choose(n - 1) : (int)sum((double *)shared, 2, 1, 2, 3, 4, 5, 6); }
"#;

/// Numbers that look random and are the same each time.
struct Sequence(u64);

impl Sequence {
    fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }
}

fn whole(name: &str) -> Vec<u8> {
    let path = built(name, "c", PROGRAM, &["-O2", "-fno-inline", "-fexceptions"]);
    fs::read(path).expect("what was built can be read")
}

/// Plans and encodes all that is left; says how many plans there were.
fn survive(bytes: Vec<u8>) -> usize {
    let Ok(object) = Object::of(Opening::new(Path::new("damaged.so")), Arc::new(bytes)) else {
        return 0;
    };
    let mut planned = 0;
    for (_, plan) in plan_all(&object) {
        match plan {
            Ok(plan) => {
                let stub = plan.site.wrapping_add(0x10_0000);
                match plan.encode(0, stub, stub.wrapping_add(0x1000)) {
                    Ok(encoded) => assert!(encoded.code.len() <= STUB_LENGTH),
                    Err(refusal) => assert_eq!(refusal, Refusal::ArenaOutOfReach),
                }
                planned += 1;
            }
            Err(refusal) => assert!(!refusal.to_string().is_empty()),
        }
    }
    planned
}

#[test]
fn flipped_bytes_of_code_are_survived() {
    let whole = whole("damaged_code");
    let text = {
        let object = Object::of(Opening::new(Path::new("damaged.so")), Arc::new(whole.clone()))
            .expect("is whole");
        let (address, bytes) = object.section(".text").expect("it has code");
        assert!(survive(whole.clone()) >= 3, "what is whole can be planned");
        // In this file the first segments lie where they are loaded.
        (address as usize, bytes.len())
    };
    let mut numbers = Sequence(1);
    for _ in 0..4000 {
        let mut damaged = whole.clone();
        for _ in 0..=numbers.next(6) {
            let at = text.0 + numbers.next(text.1);
            damaged[at] = numbers.next(256) as u8;
        }
        survive(damaged);
    }
}

/// Functions of random bytes: instructions that no compiler makes are copied rightly or refused.
#[test]
fn entries_of_random_bytes_behave_as_the_original() {
    let mut numbers = Sequence(3);
    let mut text = String::new();
    for number in 0..6000 {
        let bytes: Vec<String> = (0..18).map(|_| numbers.next(256).to_string()).collect();
        let room = if numbers.next(2) == 0 { Room::Roomy } else { Room::Tight };
        text +=
            &function(&format!("random{number}"), room, &format!(".byte {}\nret", bytes.join(",")));
    }
    let object = build("random", "s", &text, &[]);
    let near = 0..1 << 24;
    let plans: Vec<Plan> = plan_all(&object)
        .into_iter()
        .filter_map(|(_, plan)| plan.ok())
        .filter(|plan| plan.reached().all(|target| near.contains(&target)))
        .filter(|plan| is_repeatable(&object, plan))
        .collect();
    assert!(plans.len() > 1000, "{} random functions can be planned", plans.len());
    run(&object, &plans, 12);
}

/// Whether what is displaced gives the same result each time, and lets itself be stepped.
fn is_repeatable(object: &Object, plan: &Plan) -> bool {
    let bytes = object.text(plan.entry..plan.resume).expect("the displaced bytes are code");
    let mut decoder = Decoder::with_ip(64, bytes, plan.entry, DecoderOptions::NONE);
    !decoder.iter().any(|instruction| {
        let loads_segment = instruction.op0_kind() == OpKind::Register
            && instruction.op0_register().is_segment_register();
        let is_unsteady = matches!(
            instruction.mnemonic(),
            Mnemonic::Rdtsc
                | Mnemonic::Rdtscp
                | Mnemonic::Rdrand
                | Mnemonic::Rdseed
                | Mnemonic::Rdpid
                | Mnemonic::Popf
                | Mnemonic::Popfq
        );
        loads_segment || is_unsteady
    })
}

#[test]
fn flipped_bytes_of_anything_are_survived() {
    let whole = whole("damaged_anywhere");
    let mut numbers = Sequence(2);
    for _ in 0..3000 {
        let mut damaged = whole.clone();
        for _ in 0..=numbers.next(40) {
            let at = numbers.next(damaged.len());
            damaged[at] = numbers.next(256) as u8;
        }
        survive(damaged);
    }
}

#[test]
fn truncated_files_are_survived() {
    let whole = whole("truncated");
    for length in (0..whole.len()).step_by(61) {
        survive(whole[..length].to_vec());
    }
}
