//! Copies, fills and compares memory, under the names that the compiler calls.
//!
//! The C library's functions of these names may be replaced, as sanitizers do, by functions that expect a thread of the C
//! library's, which the agent is not. The functions here are visible in this library only.

use core::arch::global_asm;

macro_rules! own {
    ($($name:literal: $($line:literal),*;)*) => {
        $(
            global_asm!(
                ".text",
                ".balign 16",
                concat!(".globl ", $name),
                concat!(".hidden ", $name),
                concat!(".type ", $name, ",@function"),
                concat!($name, ":"),
                ".cfi_startproc",
                $($line,)*
                ".cfi_endproc",
                concat!(".size ", $name, ", . - ", $name),
            );
        )*
    };
}

own! {
    "memcpy": "mov rax, rdi", "mov rcx, rdx", "rep movsb", "ret";
    "memmove": "mov rax, rdi", "mov rcx, rdx", "sub rdi, rsi", "cmp rdi, rdx", "jb 2f",
        "mov rdi, rax", "rep movsb", "ret",
        "2: lea rdi, [rax + rdx - 1]", "lea rsi, [rsi + rdx - 1]", "std", "rep movsb", "cld", "ret";
    "memset": "mov r8, rdi", "mov eax, esi", "mov rcx, rdx", "rep stosb", "mov rax, r8", "ret";
    "memcmp": "2: test rdx, rdx", "je 3f", "movzx eax, byte ptr [rdi]", "movzx ecx, byte ptr [rsi]",
        "inc rdi", "inc rsi", "dec rdx", "sub eax, ecx", "je 2b", "ret", "3: xor eax, eax", "ret";
    "bcmp": "jmp memcmp";
    "strlen": "xor eax, eax", "2: cmp byte ptr [rdi + rax], 0", "je 3f", "inc rax", "jmp 2b", "3: ret";
}
