/* A program that reads where nothing may be mapped, as a Java machine does: a handler of SIGSEGV compares the faulting instruction with
 * a table of its own and sets where to go on. The reading instruction is the first one of its function.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls fault_table.c -o fault_table
 * run: fault_table [milliseconds]
 * expect: its line: every fault was found in the table
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

__asm__(".text\n.globl safe_fetch\n.type safe_fetch,@function\n"
        ".p2align 4\nsafe_fetch:\n.cfi_startproc\n"
        "safe_fetch_fault: movl (%rdi), %eax\n"
        "addl $0, %eax\n"
        "ret\n"
        "safe_fetch_goes_on: movl %esi, %eax\n"
        "ret\n"
        ".cfi_endproc\n.size safe_fetch, .-safe_fetch\n"
        ".p2align 4\n");
/* The same with a long first instruction, which may be replaced whole. */
__asm__(".text\n.globl safe_fetch_far\n.type safe_fetch_far,@function\n"
        ".p2align 4\nsafe_fetch_far:\n.cfi_startproc\n"
        "safe_fetch_far_fault: movl 0x1000(%rdi), %eax\n"
        "addl $0, %eax\n"
        "ret\n"
        "safe_fetch_far_goes_on: movl %esi, %eax\n"
        "ret\n"
        ".cfi_endproc\n.size safe_fetch_far, .-safe_fetch_far\n"
        ".p2align 4\n");
extern int safe_fetch(int *address, int otherwise), safe_fetch_far(char *address, int otherwise);
extern char safe_fetch_fault[], safe_fetch_goes_on[], safe_fetch_far_fault[], safe_fetch_far_goes_on[];

static volatile long found;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    (void)signal, (void)info;
    if (registers[REG_RIP] == (greg_t)safe_fetch_fault)
        registers[REG_RIP] = (greg_t)safe_fetch_goes_on;
    else if (registers[REG_RIP] == (greg_t)safe_fetch_far_fault)
        registers[REG_RIP] = (greg_t)safe_fetch_far_goes_on;
    else {
        static const char text[] = "fault_table: a fault is not in the table\n";
        _exit(write(1, text, sizeof text - 1) < 0 ? 4 : 3);
    }
    found++;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 400, begin = now();
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    int there[1025] = {[0] = 17, [1024] = 19}, *volatile nowhere = NULL;
    long faults = 0, wrong = 0;
    while (now() < begin + length) {
        for (int i = 0; i < 200; i++)
            wrong += safe_fetch(there, 5) != 17 || safe_fetch_far((char *)there, 5) != 19;
        wrong += safe_fetch(nowhere, 23) != 23 || safe_fetch_far((char *)nowhere, 29) != 29;
        faults += 2;
    }
    printf("fault_table: %s\n", !wrong && faults == found ? "every fault was found in the table" : "something was read wrong");
    return wrong || faults != found;
}
