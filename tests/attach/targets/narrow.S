/* A program of 32 bits without any library: says that it runs, waits until standard input ends, says so. */
    .text
    .globl _start
_start:
    mov $4, %eax
    mov $1, %ebx
    mov $ready, %ecx
    mov $6, %edx
    int $0x80
again:
    mov $3, %eax
    mov $0, %ebx
    mov $byte, %ecx
    mov $1, %edx
    int $0x80
    cmp $0, %eax
    jg again
    mov $4, %eax
    mov $1, %ebx
    mov $done, %ecx
    mov $5, %edx
    int $0x80
    mov $1, %eax
    mov $0, %ebx
    int $0x80
    .data
ready: .ascii "ready\n"
done: .ascii "done\n"
byte: .byte 0
    .section .note.GNU-stack, "", @progbits
