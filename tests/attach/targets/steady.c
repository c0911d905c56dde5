/* Keeps known values in every register, in the flags and below the stack pointer, waits in several ways, and
 * looks whether all is as it left it, until standard input ends. With an argument signals come meanwhile. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long wrong[8];
static volatile sig_atomic_t signals;

static void count(int number)
{
    (void)number;
    signals++;
}

#define PATTERN(n) (0x1122334455667700 + (n))

/* Flags after the addition of 1 to 127 in a byte, carry set: overflow, sign, half carry, carry. */
enum { WATCHED = 0xcd5, EXPECTED = 0x891 };

struct kept {
    uint64_t registers[13], below[2], flags;
    uint64_t vectors[16][2];
};

/* Room on the stack, what is needed later, and the vectors. */
#define LOAD(n) "movups " #n "*16(%%rax), %%xmm" #n "\n\t"
#define PREPARE \
    "lea -256(%%rsp), %%rsp\n\t" \
    "push %%rbp\n\t" \
    "push 0(%%rax)\n\t" \
    "mov 16(%%rax), %%rcx\n\t" \
    "mov 24(%%rax), %%rdx\n\t" \
    "mov 8(%%rax), %%rax\n\t" \
    LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7) \
    LOAD(8) LOAD(9) LOAD(10) LOAD(11) LOAD(12) LOAD(13) LOAD(14) LOAD(15)

/* Known values everywhere, for so many turns of a loop that changes no flag. */
#define HOLD \
    "cld\n\t" \
    "test %%rdx, %%rdx\n\t" \
    "jz 1f\n\t" \
    "std\n" \
    "1:\n\t" \
    "movabs $0x1122334455667701, %%rbx\n\t" \
    "lea 1(%%rbx), %%rdx\n\t" \
    "lea 2(%%rbx), %%rsi\n\t" \
    "lea 3(%%rbx), %%rdi\n\t" \
    "lea 4(%%rbx), %%rbp\n\t" \
    "lea 5(%%rbx), %%r8\n\t" \
    "lea 6(%%rbx), %%r9\n\t" \
    "lea 7(%%rbx), %%r10\n\t" \
    "lea 8(%%rbx), %%r11\n\t" \
    "lea 9(%%rbx), %%r12\n\t" \
    "lea 10(%%rbx), %%r13\n\t" \
    "lea 11(%%rbx), %%r14\n\t" \
    "lea 12(%%rbx), %%r15\n\t" \
    "mov %%rbx, -8(%%rsp)\n\t" \
    "mov %%rdx, -128(%%rsp)\n\t" \
    "mov $127, %%al\n\t" \
    "add $1, %%al\n\t" \
    "stc\n" \
    "2:\n\t" \
    "jrcxz 3f\n\t" \
    "lea -1(%%rcx), %%rcx\n\t" \
    "jmp 2b\n" \
    "3:\n\t"

/* All values into the memory that was given, and the stack as it was. */
#define STORE(n) "movups %%xmm" #n ", 128+" #n "*16(%%rcx)\n\t"
#define TELL \
    "mov (%%rsp), %%rcx\n\t" \
    "mov %%rbx, 0(%%rcx)\n\t" \
    "mov %%rdx, 8(%%rcx)\n\t" \
    "mov %%rsi, 16(%%rcx)\n\t" \
    "mov %%rdi, 24(%%rcx)\n\t" \
    "mov %%rbp, 32(%%rcx)\n\t" \
    "mov %%r8, 40(%%rcx)\n\t" \
    "mov %%r9, 48(%%rcx)\n\t" \
    "mov %%r10, 56(%%rcx)\n\t" \
    "mov %%r11, 64(%%rcx)\n\t" \
    "mov %%r12, 72(%%rcx)\n\t" \
    "mov %%r13, 80(%%rcx)\n\t" \
    "mov %%r14, 88(%%rcx)\n\t" \
    "mov %%r15, 96(%%rcx)\n\t" \
    "mov -8(%%rsp), %%rdx\n\t" \
    "mov %%rdx, 104(%%rcx)\n\t" \
    "mov -128(%%rsp), %%rdx\n\t" \
    "mov %%rdx, 112(%%rcx)\n\t" \
    "lea -128(%%rsp), %%rsp\n\t" \
    "pushfq\n\t" \
    "pop %%rdx\n\t" \
    "lea 128(%%rsp), %%rsp\n\t" \
    "mov %%rdx, 120(%%rcx)\n\t" \
    "cld\n\t" \
    STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7) \
    STORE(8) STORE(9) STORE(10) STORE(11) STORE(12) STORE(13) STORE(14) STORE(15) \
    "pop %%rcx\n\t" \
    "pop %%rbp\n\t" \
    "lea 256(%%rsp), %%rsp\n\t"

__attribute__((noipa)) static void keep(struct kept *kept, uint64_t times, int backwards)
{
    static uint64_t vectors[16][2];
    for (int i = 0; i < 16; i++)
        vectors[i][0] = vectors[i][1] = PATTERN(0x20 + i);
    uint64_t all[] = {(uint64_t)kept, (uint64_t)vectors, times, (uint64_t)backwards}, *words = all;
    __asm__ volatile(
        PREPARE HOLD TELL
        : "+a"(words)
        :
        : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
          "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
          "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
}

static void registers(int backwards)
{
    static struct kept kept;
    keep(&kept, 400000, backwards);
    for (int i = 0; i < 13; i++)
        wrong[0] += kept.registers[i] != (uint64_t)PATTERN(1 + i);
    wrong[1] += kept.below[0] != (uint64_t)PATTERN(1) || kept.below[1] != (uint64_t)PATTERN(2);
    wrong[2] += (kept.flags & WATCHED) != (backwards ? EXPECTED | 0x400 : EXPECTED);
    for (int i = 0; i < 16; i++)
        wrong[3] += kept.vectors[i][0] != (uint64_t)PATTERN(0x20 + i) || kept.vectors[i][1] != kept.vectors[i][0];
}

static void waits(int may_be_interrupted)
{
    struct timespec time = {0, 400000};
    struct timeval also = {0, 400};
    int results[] = {nanosleep(&time, NULL), poll(NULL, 0, 1), select(0, NULL, NULL, NULL, &also)};
    for (int i = 0; i < 3; i++)
        wrong[4] += results[i] && !may_be_interrupted;
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    for (int i = 1; i < 32; i++)
        wrong[5] += sigismember(&mask, i) != (i == SIGUSR2);
}

int main(int argc, char **argv)
{
    struct pollfd input = {0, POLLIN, 0};
    struct sigaction action = {.sa_handler = count};
    struct itimerval often = {{0, 1000}, {0, 1000}};
    sigset_t mask;
    int came;
    (void)argv;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    if (argc > 1) {
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &often, NULL);
    }
    puts("ready");
    fflush(stdout);
    do {
        registers(0);
        registers(1);
        waits(argc > 1);
        free(malloc(1000));
    } while ((came = poll(&input, 1, 0)) == 0 || (came < 0 && errno == EINTR));
    for (int i = 0; i < 6; i++)
        printf("%ld ", wrong[i]);
    printf("wrong, %s\n", argc > 1 && !signals ? "no signals" : "done");
    return 0;
}
