//! The code of slots. There are two forms: with copies of arguments between the slot's word and the function, or without.
//!
//! ```text
//!   caller's arguments │ return address │ word │ room for copies, if any │ T i │ the nine registers
//! ```

/// Defines the slots of a form, which begin at `$slots`, and what they call: `$entered` before the function, `$left`
/// behind it. `room` is how many bytes of arguments are copied at most.
macro_rules! form {
    ($slots:literal, $entered:literal, $left:literal, room = $room:expr) => {
        core::arch::global_asm!(
            ".text",
            ".balign 64",
            concat!(".globl ", $slots),
            concat!(".hidden ", $slots),
            concat!(".type ", $slots, ",@function"),
            concat!(".set ", $slots, "_at, 0"),
            concat!($slots, ":"),
            ".rept {slots}",
            ".cfi_startproc",
            ".cfi_personality 0x1b, {personality}",
            "pushq %rax",
            ".cfi_adjust_cfa_offset 8",
            ".if {room}",
            "leaq -{room}(%rsp), %rsp",
            ".cfi_adjust_cfa_offset {room}",
            ".endif",
            concat!("callq ", $entered),
            concat!("callq *whyperf_targets + 8 * ", $slots, "_at(%rip)"),
            concat!("callq ", $left),
            "leaq {room} + 8(%rsp), %rsp",
            ".cfi_adjust_cfa_offset -({room} + 8)",
            "retq",
            ".cfi_endproc",
            ".balign {size}, 0xcc",
            concat!(".set ", $slots, "_at, ", $slots, "_at + 1"),
            ".endr",
            concat!(".size ", $slots, ", . - ", $slots),
            slots = const $crate::functions::pool::SLOTS,
            size = const $crate::functions::pool::SIZE,
            room = const $room,
            personality = sym $crate::patch::personality::unwound,
            options(att_syntax),
        );

        // Above the nine registers lie the way back into the slot, room for the copies, the word, the return address of
        // the function's caller and the arguments.
        core::arch::global_asm!(
            ".text",
            ".balign 64",
            concat!(".type ", $entered, ",@function"),
            concat!($entered, ":"),
            ".cfi_startproc",
            $crate::patch::form::keep!(),
            $crate::patch::form::number!($slots),
            "mov rdx, [rsp + {room} + 88]",
            "sub rdx, rcx",
            "cmp rdx, {pool}",
            "jb 3f",
            ".if {room}",
            "lea rcx, [rip + whyperf_widths]",
            "movzx ecx, byte ptr [rcx + rsi]",
            "0:",
            "mov rax, [rsp + {room} + 88 + 8 * rcx]",
            "mov [rsp + 72 + 8 * rcx], rax",
            "sub ecx, 1",
            "jnz 0b",
            ".endif",
            "lea rdi, [rsp + {room} + 80]",
            "call {enter}",
            "test eax, eax",
            "jnz 2f",
            "1:",
            ".cfi_remember_state",
            $crate::patch::form::give_back!(),
            "ret",
            ".cfi_restore_state",
            "2:",
            "cmp eax, {deep}",
            "jne 6f",
            "lea rdi, [rsp + {room} + 80]",
            $crate::patch::form::number!($slots),
            "call {enter_deep}",
            "test eax, eax",
            "jz 1b",
            "cmp eax, {counted}",
            "je 4f",
            "6:",
            "lea rdi, [rsp + {room} + 80]",
            $crate::patch::form::number!($slots),
            "lea rcx, [rip + {enter_cold}]",
            "call whyperf_keeping_vectors",
            "cmp qword ptr [rsp + {room} + 80], {no_frame}",
            "jne 1b",
            // The frame goes: the function is entered as if its caller had called it there.
            "4:",
            $crate::patch::form::number!($slots),
            "lea rcx, [rip + whyperf_targets]",
            "mov rax, [rcx + 8 * rsi]",
            "mov [rsp + {room} + 80], rax",
            $crate::patch::form::give_back!(),
            "lea rsp, [rsp + {room} + 8]",
            "ret",
            ".cfi_adjust_cfa_offset 72",
            // A jump from another function of this form: its visit ends, its frame is taken over.
            "3:",
            "shr rdx, {shift}",
            "lea rdi, [rsp + 2 * {room} + 96]",
            $crate::patch::form::number!($slots),
            "call {pass}",
            "test eax, eax",
            "jz 5f",
            "lea rdi, [rsp + 2 * {room} + 96]",
            $crate::patch::form::number!($slots, "[rsp + {room} + 88]"),
            "mov eax, esi",
            $crate::patch::form::number!($slots),
            "lea rcx, [rip + {pass_cold}]",
            "call whyperf_keeping_vectors",
            "5:",
            "mov rax, [rsp + 72]",
            "mov [rsp + {room} + 88], rax",
            $crate::patch::form::give_back!(),
            "lea rsp, [rsp + {room} + 16]",
            "ret",
            ".cfi_endproc",
            concat!(".size ", $entered, ", . - ", $entered),
            ".balign 64",
            concat!(".type ", $left, ",@function"),
            concat!($left, ":"),
            ".cfi_startproc",
            $crate::patch::form::keep!(),
            $crate::patch::form::number!($slots),
            "lea rdi, [rsp + {room} + 80]",
            "call {exit}",
            "test eax, eax",
            "jnz 2f",
            "1:",
            ".cfi_remember_state",
            $crate::patch::form::give_back!(),
            "ret",
            ".cfi_restore_state",
            "2:",
            "lea rdi, [rsp + {room} + 80]",
            $crate::patch::form::number!($slots),
            "lea rcx, [rip + {exit_cold}]",
            "call whyperf_keeping_vectors",
            "jmp 1b",
            ".cfi_endproc",
            concat!(".size ", $left, ", . - ", $left),
            shift = const $crate::functions::pool::SIZE.trailing_zeros(),
            pool = const $crate::functions::pool::SLOTS * $crate::functions::pool::SIZE,
            room = const $room,
            deep = const $crate::patch::visit::DEEP,
            counted = const $crate::patch::visit::COUNTED,
            enter_deep = sym $crate::patch::visit::whyperf_function_deep,
            no_frame = const $crate::patch::visit::NO_FRAME,
            enter = sym $crate::patch::visit::whyperf_function_enter,
            exit = sym $crate::patch::visit::whyperf_function_exit,
            pass = sym $crate::patch::visit::whyperf_function_pass,
            enter_cold = sym $crate::patch::visit::enter_cold,
            pass_cold = sym $crate::patch::visit::pass_cold,
            exit_cold = sym $crate::patch::visit::exit_cold,
        );
    };
}

pub(super) use form;

/// The number of the slot that an address lies in, to rsi; rcx becomes the first one's. Above the nine registers lies the
/// address in the slot that called.
macro_rules! number {
    ($slots:literal) => {
        $crate::patch::form::number!($slots, "[rsp + 72]")
    };
    ($slots:literal, $address:literal) => {
        concat!(
            "mov rsi, ",
            $address,
            "
            lea rcx, [rip + ",
            $slots,
            "]
            sub rsi, rcx
            shr rsi, {shift}"
        )
    };
}

pub(super) use number;

/// All integer registers that a called function may change, pushed; 72 bytes.
macro_rules! keep {
    () => {
        "push rax
        .cfi_adjust_cfa_offset 8
        push rcx
        .cfi_adjust_cfa_offset 8
        push rdx
        .cfi_adjust_cfa_offset 8
        push rsi
        .cfi_adjust_cfa_offset 8
        push rdi
        .cfi_adjust_cfa_offset 8
        push r8
        .cfi_adjust_cfa_offset 8
        push r9
        .cfi_adjust_cfa_offset 8
        push r10
        .cfi_adjust_cfa_offset 8
        push r11
        .cfi_adjust_cfa_offset 8"
    };
}

pub(super) use keep;

/// The reverse of `keep`.
macro_rules! give_back {
    () => {
        "pop r11
        .cfi_adjust_cfa_offset -8
        pop r10
        .cfi_adjust_cfa_offset -8
        pop r9
        .cfi_adjust_cfa_offset -8
        pop r8
        .cfi_adjust_cfa_offset -8
        pop rdi
        .cfi_adjust_cfa_offset -8
        pop rsi
        .cfi_adjust_cfa_offset -8
        pop rdx
        .cfi_adjust_cfa_offset -8
        pop rcx
        .cfi_adjust_cfa_offset -8
        pop rax
        .cfi_adjust_cfa_offset -8"
    };
}

pub(super) use give_back;
