/* A handler on an alternate stack that has room for it, and for nothing upon it; memory that is the program's own lies below.
 *
 * run: small_signal_stack ARRIVALS, which end it
 * expect: how many bytes below the stack were changed: none
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>

enum { BELOW = 65536, MOST = 6144, PATTERN = 0xAB };

static volatile sig_atomic_t arrived;

__attribute__((noinline)) static long leaf(long x)
{
    volatile long sum = 0;
    for (int at = 0; at < 200; at++)
        sum += x ^ at;
    return sum;
}

__attribute__((noinline)) static long inner(long x)
{
    long sum = 0;
    for (int at = 0; at < 20; at++)
        sum += leaf(x + at);
    return sum;
}

static void handle(int number)
{
    (void)number;
    arrived++;
}

int main(int count, char **words)
{
    long arrivals = count > 1 ? atol(words[1]) : 100;
    size_t size = getauxval(AT_MINSIGSTKSZ) + 1024;
    /* Where a processor has tiles the kernel counts them in, and saves none that nobody uses. */
    if (size > MOST)
        size = MOST;
    unsigned char *below =
        mmap(NULL, BELOW + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(below, PATTERN, BELOW);
    stack_t stack = { .ss_sp = below + BELOW, .ss_size = size };
    if (sigaltstack(&stack, NULL) != 0)
        return 1;
    struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK | SA_RESTART };
    sigfillset(&action.sa_mask);
    sigaction(SIGPROF, &action, NULL);
    struct itimerval often = { { 0, 2000 }, { 0, 2000 } };
    setitimer(ITIMER_PROF, &often, NULL);
    volatile long sink = 0;
    for (long round = 0; arrived < arrivals; round++) {
        sink += inner(round);
        if (round % 64 == 0)
            raise(SIGPROF);
    }
    setitimer(ITIMER_PROF, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
    long changed = 0;
    for (int at = 0; at < BELOW; at++)
        changed += below[at] != PATTERN;
    printf("small_signal_stack: %ld bytes below it were changed\n", changed);
    return 0;
}
