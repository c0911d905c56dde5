//! Plans one program as compilers build it under their options, and checks the names that linkers make.

use whyperf_code::plan::{Group, Islands, Plan, Refusal, SiteClass, plan};
use whyperf_code::{FunctionId, FunctionKind, Object};

use crate::assembly::{Room, build, function, plan_of, run};
use crate::libraries::plan_all;

const PROGRAM: &str = r#"
#include <stdarg.h>
extern int outside(int);
long integers(long a, long b, long c, long d, long e, long f, long g) { return a + b * c - d * e + f * g; }
double doubles(double a, double b, double c, double d, double e, double f, double g, double h) {
    return a * b + c * d + e * f + g * h;
}
long double extended(long double a) { return a * a; }
struct pair { long a, b; };
struct pair pair(long a, long b) { return (struct pair){ b, a }; }
struct large { long a[8]; };
long by_value(struct large a, int n) { return a.a[n] + a.a[7]; }
struct large by_memory(long a) { return (struct large){ { a, a, a, a, a, a, a, a } }; }
int variadic(int n, ...) {
    va_list list;
    va_start(list, n);
    int sum = 0;
    while (n-- > 0) sum += va_arg(list, int);
    va_end(list);
    return sum;
}
int tree(int n) { return n < 2 ? n : tree(n - 1) + tree(n - 2) + outside(n); }
int buffer(int n) { char text[256]; for (int i = 0; i < n; i++) text[i] = (char)outside(i); return text[n / 2]; }
int aligned(int n) { int values[64] __attribute__((aligned(64))); values[n] = outside(n); return values[n / 2] + outside((int)(long)values); }
int choose(int n) {
    switch (n) {
    case 0: return outside(1) + 4;
    case 1: return outside(2) * 3;
    case 2: return 17;
    case 3: return outside(n) ^ 5;
    case 4: return n - outside(8);
    case 5: return outside(9) - 2;
    case 6: return 99;
    default: return -n;
    }
}
void *where(void) { return __builtin_return_address(0); }
"#;

/// Options that change how a function begins.
const OPTIONS: [&[&str]; 14] = [
    &["-O0"],
    &["-O1"],
    &["-O2"],
    &["-O3"],
    &["-Os"],
    &["-O3", "-march=skylake-avx512"],
    &["-O2", "-fcf-protection"],
    &["-O2", "-fstack-protector-all"],
    &["-O2", "-fstack-clash-protection"],
    &["-O2", "-mno-red-zone"],
    &["-O2", "-fno-omit-frame-pointer"],
    &["-O2", "-fpatchable-function-entry=5"],
    &["-O2", "-fpatchable-function-entry=10,5"],
    &["-O2", "-pg", "-mfentry"],
];

/// Functions whose arguments are on the stack, whatever the options.
const STACKED: [&str; 4] = ["integers", "extended", "by_value", "variadic"];
/// Functions whose arguments are in registers.
const UNSTACKED: [&str; 6] = ["doubles", "pair", "by_memory", "tree", "buffer", "choose"];

#[test]
fn entries_of_every_option_run_as_before() {
    for (number, options) in OPTIONS.iter().enumerate() {
        let object = build(&format!("options{number}"), "c", PROGRAM, options);
        let plans: Vec<Plan> =
            plan_all(&object).into_iter().filter_map(|(_, planned)| planned.ok()).collect();
        assert!(plans.len() >= 10, "{options:?}: {} functions can be planned", plans.len());
        for name in STACKED {
            let plan =
                plan_of(&object, name).unwrap_or_else(|why| panic!("{options:?} {name}: {why}"));
            assert_ne!(plan.stacked, Ok(0), "{options:?}: {name}");
        }
        for (name, words) in [("integers", 1), ("extended", 2)] {
            let plan = plan_of(&object, name).expect("planned above");
            assert_eq!(plan.stacked, Ok(words), "{options:?}: {name}");
        }
        let plan = plan_of(&object, "variadic").expect("planned above");
        assert!(plan.stacked.is_err(), "{options:?}: {:?} of an unknown number", plan.stacked);
        for name in UNSTACKED {
            let plan =
                plan_of(&object, name).unwrap_or_else(|why| panic!("{options:?} {name}: {why}"));
            assert_eq!(plan.stacked, Ok(0), "{options:?}: {name}");
        }
        let looks = plan_of(&object, "where").err().map(|refusal| refusal.code());
        assert_eq!(looks, Some("reads-return-address"), "{options:?}");
        run(&object, &plans, 4);
    }
}

#[test]
fn room_that_the_compiler_left_is_used() {
    let sleds = build("sleds", "c", PROGRAM, &["-O2", "-fpatchable-function-entry=5"]);
    let plan = plan_of(&sleds, "tree").expect("five instructions that do nothing");
    assert_eq!(plan.class, SiteClass::Several);
    let encoded = plan.encode(0, 0x10_0000, 0x20_0000).expect("within reach");
    assert_eq!(encoded.boundaries, [(1, 1), (2, 2), (3, 3), (4, 4)]);
    let counted = build("counted", "c", PROGRAM, &["-O2", "-pg", "-mfentry"]);
    let plan = plan_of(&counted, "tree").expect("a call of five or six bytes");
    assert_eq!(plan.class, SiteClass::Long);
}

#[test]
fn the_cold_part_of_a_function_is_not_a_function() {
    let text = "void leave(void) __attribute__((cold, noreturn));\n\
                int mostly(int n) { if (__builtin_expect(n > 7, 0)) leave(); return n + 1; }\n";
    let object = build("cold", "c", text, &["-O2", "-freorder-blocks-and-partition"]);
    let cold = plan_all(&object).into_iter().find(|(id, _)| {
        matches!(object.functions()[id.index()].kind, FunctionKind::Fragment { .. })
    });
    let (_, planned) = cold.expect("gcc moves the cold part away");
    assert_eq!(planned.err(), Some(Refusal::ColdFragment));
    assert!(plan_of(&object, "mostly").is_ok());
}

#[test]
fn names_of_one_function_share_a_site() {
    let body = function("first", Room::Roomy, "mov $5, %eax\n ret");
    let text = format!("{body}.type second, @function\n.set second, first\n.size second, 6\n");
    let object = build("aliases", "s", &text, &[]);
    let (first, second) = (plan_of(&object, "first"), plan_of(&object, "second"));
    assert_eq!(first.expect("planned").site, second.expect("planned").site);
}

#[test]
fn a_second_entry_behind_the_first_byte_is_kept() {
    let inner = ".type inner, @function\ninner: mov $1, %eax\nret\n.size inner, .-inner\n";
    let text = function("outer", Room::Crowded, &format!("push %rbx\npop %rbx\n{inner}"));
    let object = build("entries", "s", &text, &[]);
    let outer = plan_of(&object, "outer").expect_err("another function begins inside");
    assert_eq!(outer.code(), "second-entry-in-patch");
    let inner = plan_of(&object, "inner").expect_err("the outer one runs on into it");
    assert_eq!(inner.code(), "inside-another");
}

#[test]
fn choosers_stubs_and_denied_names_are_left_alone() {
    let text = "static int one(void) { return 1; }\n\
                static int (*chooser(void))(void) { return one; }\n\
                int chosen(void) __attribute__((ifunc(\"chooser\")));\n\
                extern int outside(void);\n\
                int caller(void) { return chosen() + outside(); }\n\
                int abort(void) { return 4; }\n\
                void returns(int n) { if (n) __builtin_trap(); }\n";
    let object = build("left", "c", text, &["-O1", "-fno-builtin", "-Wl,-z,lazy"]);
    assert_eq!(plan_of(&object, "chosen").err(), Some(Refusal::IfuncResolver));
    assert_eq!(plan_of(&object, "abort").err(), Some(Refusal::Denied(Group::NonLocalExit)));
    assert!(plan_of(&object, "caller").is_ok());
    let stubs = plan_all(&object).into_iter().filter(|(id, _)| is_stub(&object, *id));
    let refused: Vec<_> = stubs.map(|(_, planned)| planned.err()).collect();
    assert!(!refused.is_empty() && refused.iter().all(|why| *why == Some(Refusal::PltStub)));
}

fn is_stub(object: &Object, id: FunctionId) -> bool {
    object.functions()[id.index()].kind == FunctionKind::PltStub
}

#[test]
fn an_object_of_another_language_is_refused() {
    let text = function("main.work", Room::Roomy, "mov $5, %eax\n ret")
        + ".section .gopclntab,\"a\"\n.quad 1\n";
    let object = build("go", "s", &text, &[]);
    let refusal = plan_of(&object, "main.work").expect_err("Go has rules of its own");
    assert_eq!(refusal.code(), "private-calling-convention");
}

#[test]
fn islands_are_given_out_once() {
    let bodies: String = (0..6)
        .map(|number| {
            function(&format!("near{number}"), Room::Tight, "mov %edi, %eax\n add $9, %eax\n ret")
        })
        .collect();
    let object = build("islands", "s", &(bodies + ".skip 11, 0xcc\n"), &[]);
    let mut islands = Islands::new();
    let plans: Vec<Plan> = (0..object.functions().len() as u32)
        .filter_map(|id| plan(&object, FunctionId(id), &mut islands).ok())
        .collect();
    let mut taken: Vec<u64> = plans.iter().filter_map(Plan::island).collect();
    taken.sort_unstable();
    assert_eq!(taken.len(), 2, "eleven dead bytes hold two jumps");
    assert!(taken[1] - taken[0] >= 5);
    assert!(plans.iter().any(|plan| plan.class == SiteClass::Several), "the others go on without");
    let again = plan(&object, FunctionId(0), &mut islands).expect("planned before");
    assert_eq!(again.island(), plans[0].island(), "a function keeps its island");
}
