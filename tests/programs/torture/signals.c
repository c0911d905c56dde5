/* A timer's signals at some kilohertz, some on a stack of their own, some left by a jump. */
#include "rounds.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

static sigjmp_buf out;
static volatile sig_atomic_t may_leave, arrived;

__attribute__((noinline)) static double handle_deep(int depth)
{
    char text[64];
    snprintf(text, sizeof text, "%d", depth);
    return depth == 0 ? sqrt(strtod(text, NULL) + 2) : handle_deep(depth - 1) + strlen(text);
}

static void handle(int number)
{
    (void)number;
    arrived++;
    volatile double sink = handle_deep(4);
    (void)sink;
    if (may_leave) {
        may_leave = 0;
        siglongjmp(out, 1);
    }
}

__attribute__((noinline)) static long computed(int n)
{
    long sum = 0;
    for (int at = 1; at < n; at++)
        sum = sum * 31 + (long)(1000 * sin(at) * exp(-at % 7));
    return sum;
}

/* Signals come as they like, so only what is computed beside them counts. */
static void work(void)
{
    for (int turn = 0; turn < 20; turn++)
        note_number(computed(500));
    for (volatile int turn = 0; turn < 3; turn++) {
        if (sigsetjmp(out, 1) == 0) {
            may_leave = 1;
            for (;;)
                computed(50);
        }
        note_number(may_leave);
    }
    long until = arrived + 2;
    while (arrived < until)
        computed(20);
}

int main(void)
{
    stack_t other = { .ss_sp = malloc(256 << 10), .ss_size = 256 << 10 };
    sigaltstack(&other, NULL);
    struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK | SA_RESTART };
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = { { 0, 400 }, { 0, 400 } };
    setitimer(ITIMER_REAL, &often, NULL);
    int status = rounds_of(work);
    setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
    return status;
}
