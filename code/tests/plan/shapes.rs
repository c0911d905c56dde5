//! Hand-written entries of every shape, each with the class or the refusal it has to get.

use whyperf_code::plan::{Plan, SiteClass};

use crate::assembly::{Room, build, function, plan_of, run};
use Expected::{Planned, Refused};
use Room::{Crowded, Roomy};
use SiteClass::{Long, Nop, Several, Short};
use Stacked::{Arguments, Nothing, Unknown};

/// What planning has to come to.
#[derive(Clone, Copy, Debug)]
enum Expected {
    Planned(SiteClass, Stacked),
    Refused(&'static str),
}

/// What a function uses of the stack above its return address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stacked {
    Nothing,
    Arguments,
    Unknown,
}

impl Stacked {
    const fn of(plan: &Plan) -> Self {
        match plan.stacked {
            Ok(0) => Nothing,
            Ok(_) => Arguments,
            Err(_) => Unknown,
        }
    }
}

/// A function by its name, its surroundings and its code.
type Shape = (&'static str, Room, &'static str, Expected);

/// Functions of very few bytes.
const SMALL: [Shape; 8] = [
    ("one_byte", Roomy, "ret", Planned(Long, Nothing)),
    ("one_byte_crowded", Crowded, "ret", Refused("too-short")),
    ("two_bytes", Roomy, "rep ret", Planned(Long, Nothing)),
    ("three_bytes", Roomy, "xor %eax, %eax\n ret", Planned(Short, Nothing)),
    ("three_bytes_crowded", Crowded, "xor %eax, %eax\n ret", Refused("too-short")),
    ("four_bytes", Roomy, "mov %rdi, %rax\n ret", Planned(Short, Nothing)),
    ("five_bytes_crowded", Crowded, "lea 1(%rdi), %rax\n ret", Planned(Several, Nothing)),
    ("mark_alone", Crowded, "endbr64", Refused("too-short")),
];

/// Loops near the entry.
const LOOPS: [Shape; 6] = [
    ("loop_at_entry", Roomy, "0: dec %edi\n jne 0b\n ret", Planned(Short, Nothing)),
    ("loop_displaced", Crowded, "0: dec %edi\n jne 0b\n ret", Planned(Several, Nothing)),
    (
        "loop_with_frame",
        Roomy,
        "0: sub $8, %rsp\n dec %edi\n jne 0b\n xor %eax, %eax\n ret",
        Refused("loop-to-entry"),
    ),
    (
        "loop_inside",
        Crowded,
        "push %rbx\n 0: dec %edi\n jne 0b\n pop %rbx\n ret",
        Planned(Several, Nothing),
    ),
    (
        "loop_into_patch",
        Crowded,
        "push %rbx\n 0: dec %edi\n lea 1(%rax), %rax\n jne 0b\n pop %rbx\n ret",
        Refused("branch-into-patch"),
    ),
    (
        "lock_skipped",
        Crowded,
        "0: lock addl $1, (%rdi)\n ret\n test %edi, %edi\n je 0b+1\n ret",
        Refused("branch-into-patch"),
    ),
];

/// First instructions that name an address.
const ADDRESSED: [Shape; 13] = [
    ("load", Roomy, "mov data(%rip), %rax\n ret", Planned(Long, Nothing)),
    ("store", Roomy, "mov %rdi, data(%rip)\n ret", Planned(Long, Nothing)),
    ("compare", Roomy, "cmpl $7, data(%rip)\n sete %al\n ret", Planned(Long, Nothing)),
    ("address", Roomy, "lea data(%rip), %rax\n ret", Planned(Long, Nothing)),
    ("vector", Roomy, "movups data(%rip), %xmm3\n ret", Planned(Long, Nothing)),
    (
        "condition",
        Crowded,
        "je 0f\n mov $1, %eax\n ret\n 0: mov $2, %eax\n ret",
        Planned(Several, Nothing),
    ),
    ("condition_far", Roomy, "jb load\n ret", Planned(Long, Nothing)),
    ("jump", Roomy, "jmp load", Planned(Long, Nothing)),
    ("jump_through", Roomy, "jmp *data(%rip)", Planned(Long, Unknown)),
    ("call", Roomy, "call load\n ret", Planned(Long, Nothing)),
    ("call_through", Roomy, "call *data(%rip)\n ret", Planned(Long, Nothing)),
    (
        "counted",
        Crowded,
        "jrcxz 0f\n mov $1, %eax\n ret\n 0: mov $2, %eax\n ret",
        Planned(Several, Nothing),
    ),
    (
        "looped",
        Crowded,
        "loop 0f\n mov $1, %eax\n ret\n 0: mov $2, %eax\n ret",
        Planned(Several, Nothing),
    ),
];

/// The same behind the mark of indirect calls.
const MARKED: [Shape; 7] = [
    ("marked_load", Roomy, "endbr64\n mov data(%rip), %rax\n ret", Planned(Long, Nothing)),
    ("marked_nop", Roomy, "endbr64\n .byte 0x0f, 0x1f, 0x44, 0, 0\n ret", Planned(Nop, Nothing)),
    ("nop", Roomy, ".byte 0x67, 0x0f, 0x1f, 0x04, 0\n ret", Planned(Nop, Nothing)),
    ("marked_jump", Roomy, "endbr64\n jmp load", Planned(Long, Nothing)),
    (
        "marked_short",
        Roomy,
        "endbr64\n mov %edi, %eax\n add $5, %eax\n ret",
        Planned(Short, Nothing),
    ),
    (
        "marked_target",
        Crowded,
        "endbr64\n push %rbx\n 0: mov %rdi, %rax\n inc %edi\n jne 0b\n pop %rbx\n ret",
        Refused("branch-into-patch"),
    ),
    (
        "marked_loop",
        Crowded,
        "0: endbr64\n dec %edi\n add $1, %rsi\n jne 0b\n ret",
        Planned(Several, Nothing),
    ),
];

/// Instructions that stay where they are, and functions that are left alone.
const FIXED: [Shape; 13] = [
    ("cut_branch", Crowded, ".byte 0x66, 0xe9\n .long 16\n ret", Refused("cannot-relocate")),
    ("system_call", Crowded, "mov %ecx, %r10d\n syscall\n ret", Refused("cannot-relocate")),
    ("transaction", Roomy, "xbegin 0f\n xend\n 0: ret", Refused("cannot-relocate")),
    ("trap", Crowded, "ud2\n nop\n nop\n nop\n ret", Refused("cannot-relocate")),
    ("short_call", Crowded, "call *%rax\n xor %eax, %eax\n ret", Refused("call-into-patch")),
    ("short_call_island", Roomy, "call *%rax\n xor %eax, %eax\n ret", Planned(Short, Nothing)),
    ("stack_call", Crowded, "sub $8, %rsp\n call *8(%rsp)\n ret", Refused("reads-return-address")),
    ("pops_arguments", Roomy, "mov $1, %eax\n ret $8", Refused("ret-imm")),
    ("return_address", Roomy, "mov (%rsp), %rax\n ret", Refused("reads-return-address")),
    ("popped_address", Roomy, "pop %rcx\n push %rcx\n ret", Refused("reads-return-address")),
    ("other_stack", Roomy, "mov %rsp, (%rdi)\n mov (%rsi), %rsp\n ret", Refused("stack-switch")),
    ("exchanged_stack", Roomy, "xchg %rsp, %rdi\n xchg %rsp, %rdi\n ret", Refused("stack-switch")),
    ("address_size", Roomy, "mov data(%eip), %eax\n ret", Refused("cannot-relocate")),
];

/// What the stack pointer tells of arguments.
const STACKED: [Shape; 15] = [
    ("seventh", Roomy, "mov 8(%rsp), %rax\n ret", Planned(Long, Arguments)),
    (
        "seventh_framed",
        Roomy,
        "push %rbp\n mov %rsp, %rbp\n mov 16(%rbp), %rax\n pop %rbp\n ret",
        Planned(Several, Arguments),
    ),
    (
        "local_framed",
        Roomy,
        "push %rbp\n mov %rsp, %rbp\n mov %rdi, -8(%rbp)\n leave\n ret",
        Planned(Several, Nothing),
    ),
    (
        "escaping",
        Roomy,
        "sub $24, %rsp\n lea 32(%rsp), %rdi\n call load\n add $24, %rsp\n ret",
        Planned(Short, Unknown),
    ),
    ("indexed", Roomy, "movsd (%rsp,%rdi,8), %xmm0\n ret", Planned(Long, Unknown)),
    (
        "realigned",
        Roomy,
        "lea 8(%rsp), %r10\n and $-32, %rsp\n push -8(%r10)\n push %rbp\n mov %rsp, %rbp\n push %r10\n \
         sub $40, %rsp\n mov %rdi, -40(%rbp)\n pop %r10\n pop %rbp\n lea -8(%r10), %rsp\n ret",
        Planned(Long, Unknown),
    ),
    (
        "aligned",
        Roomy,
        "push %rbp\n mov %rsp, %rbp\n and $-32, %rsp\n sub $64, %rsp\n mov %rdi, 32(%rsp)\n leave\n ret",
        Planned(Several, Nothing),
    ),
    (
        "variable",
        Roomy,
        "push %rbp\n mov %rsp, %rbp\n sub %rdi, %rsp\n and $-16, %rsp\n mov %rsp, %rdi\n call load\n leave\n ret",
        Planned(Several, Nothing),
    ),
    (
        "moves_along",
        Roomy,
        "sub $256, %rsp\n lea 8(%rsp), %rcx\n lea 256(%rsp), %rdx\n 0: movq $0, (%rcx)\n add $8, %rcx\n \
         cmp %rdx, %rcx\n jne 0b\n add $256, %rsp\n ret",
        Planned(Long, Nothing),
    ),
    (
        "moves_out",
        Roomy,
        "lea 8(%rsp), %rcx\n 0: mov (%rcx), %rax\n add $8, %rcx\n cmp %rdi, %rax\n jne 0b\n ret",
        Planned(Long, Unknown),
    ),
    (
        "pushes_along",
        Roomy,
        "mov %rsp, %rsi\n 0: push %rdi\n dec %rdi\n jne 0b\n 1: pop %rax\n cmp %rsi, %rsp\n jb 1b\n ret",
        Planned(Short, Unknown),
    ),
    ("passes_on", Roomy, "mov $3, %eax\n jmp seventh", Planned(Long, Arguments)),
    ("passes_nothing", Roomy, "mov $3, %eax\n jmp load", Planned(Long, Nothing)),
    ("passes_blindly", Roomy, "mov 8(%rdi), %rax\n jmp *%rax", Planned(Short, Unknown)),
    ("never_returns", Roomy, "sub $8, %rsp\n 0: call load\n jmp 0b", Planned(Short, Nothing)),
];

/// Jumps from elsewhere, tables, and handlers of exceptions.
const ELSEWHERE: [Shape; 7] = [
    (
        "jumped_into",
        Crowded,
        "push %rbx\n push %r12\n mov %rdi, %rbx\n pop %r12\n pop %rbx\n ret",
        Refused("branch-into-patch"),
    ),
    ("jumps_into", Roomy, "test %edi, %edi\n je jumped_into+1\n ret", Planned(Short, Unknown)),
    (
        "table_into_patch",
        Crowded,
        "push %rbx\n .Linto: mov %rdi, %rbx\n lea .Linto_table(%rip), %rdx\n movslq (%rdx,%rbx,4), %rax\n \
         add %rdx, %rax\n jmp *%rax\n .Lout: pop %rbx\n ret\n .section .rodata\n .p2align 2\n .Linto_table: \
         .long .Lout-.Linto_table, .Linto-.Linto_table, 0x7fffffff\n .text",
        Refused("branch-into-patch"),
    ),
    (
        "table_elsewhere",
        Crowded,
        "push %rbx\n mov %rdi, %rbx\n lea .Lelse_table(%rip), %rdx\n movslq (%rdx,%rbx,4), %rax\n \
         add %rdx, %rax\n jmp *%rax\n .Lone: pop %rbx\n ret\n .Ltwo: xor %eax, %eax\n pop %rbx\n ret\n \
         .section .rodata\n .p2align 2\n .Lelse_table: .long .Lone-.Lelse_table, .Ltwo-.Lelse_table, 0x7fffffff\n .text",
        Planned(Several, Nothing),
    ),
    (
        "table_unknown",
        Crowded,
        "push %rbx\n mov %rdi, %rbx\n imul $12, %rdi, %rax\n xor %rsi, %rax\n jmp *%rax\n pop %rbx\n ret",
        Refused("unknown-jump-table"),
    ),
    (
        "handler_in_patch",
        Crowded,
        ".cfi_lsda 0x1b, .Lhandlers\n push %rbx\n .Lhandler: mov %rdi, %rbx\n .Lcalling: call load\n pop %rbx\n ret\n \
         .section .gcc_except_table,\"a\"\n .p2align 2\n .Lhandlers: .byte 0xff, 0xff, 1, 4, 4, 5, 1, 0\n .text",
        Refused("landing-pad-in-patch"),
    ),
    ("entered_with_frame", Roomy, "mov %edi, %eax\n pop %rbx\n ret", Refused("entered-by-jump")),
];

/// Code that the shapes refer to.
const AROUND: &str = ".data\n.p2align 4\ndata: .quad 0x1122334455667788, 2, 3, 4\n.text\n";
/// It leaves its frame to the one it jumps to.
const LEAVER: &str =
    "push %rbx\n mov %rdi, %rbx\n test %edi, %edi\n je entered_with_frame\n pop %rbx\n ret";

fn all() -> Vec<Shape> {
    [&SMALL[..], &LOOPS, &ADDRESSED, &MARKED, &FIXED, &STACKED, &ELSEWHERE].concat()
}

#[test]
fn every_shape_gets_its_class_or_refusal_and_runs_as_before() {
    let mut text = AROUND.to_owned();
    text.push_str(&function("leaver", Roomy, LEAVER));
    all().iter().for_each(|(name, room, body, _)| text.push_str(&function(name, *room, body)));
    let object = build("shapes", "s", &text, &[]);
    let mut wrong = Vec::new();
    let mut plans: Vec<Plan> = Vec::new();
    for (name, _, _, expected) in all() {
        let planned = plan_of(&object, name);
        let is_right = match (&planned, expected) {
            (Ok(plan), Planned(class, stacked)) => {
                (plan.class, Stacked::of(plan)) == (class, stacked)
            }
            (Err(refusal), Refused(code)) => refusal.code() == code,
            _ => false,
        };
        if !is_right {
            let got = planned.as_ref().map(|plan| (plan.class, plan.stacked));
            wrong.push(format!("{name}: expected {expected:?}, got {got:?}"));
        }
        plans.extend(planned);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    run(&object, &plans, 40);
    let by_name = |name: &str| plan_of(&object, name).expect("planned above");
    assert!(by_name("loop_at_entry").loops_to_entry);
    assert!(!by_name("loop_displaced").loops_to_entry, "the loop stays in the copy");
    assert!(!by_name("never_returns").returns && by_name("load").returns);
}

#[test]
fn boundaries_tell_where_a_thread_between_two_instructions_goes_on() {
    let text = function("framed", Crowded, "push %rbx\n push %r12\n je 0f\n pop %r12\n 0: ret");
    let object = build("boundaries", "s", &text, &[]);
    let plan = plan_of(&object, "framed").expect("three instructions make five bytes");
    let encoded = plan.encode(0, 0x10_0000, 0x20_0000).expect("within reach");
    assert_eq!(encoded.boundaries, [(1, 1), (3, 3)]);
    let (copied, branch) = (&encoded.code[8..11], &encoded.code[11..13]);
    assert_eq!((copied, branch), (&[0x53, 0x41, 0x54][..], &[0x0f, 0x84][..]));
}
