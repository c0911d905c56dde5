/* A program that leaves instrumented functions by long jumps and by other contexts, a million times.
 *
 * build: as calls.c
 * run: departures
 * expect: neither the tree nor the stack grows, every visit is counted, and time goes where it was spent
 */
#include "daemon.h"

#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#define FAR __attribute__((noinline, noclone))
#define TIMES 1000000

static jmp_buf home;
static sigjmp_buf shelter;
static ucontext_t main_context, contexts[8];
static volatile long switches, handled;
static int regions[64];

FAR void jump_deep(int depth)
{
    if (depth)
        jump_deep(depth - 1);
    else
        longjmp(home, 1);
    __asm__ volatile("");
}
FAR void jump_by_mask(void) { siglongjmp(shelter, 1); }
FAR void jump_quickly(void) { _longjmp(home, 1); }
FAR void work(void) { __asm__ volatile(""); }
FAR void around(int depth)
{
    if (!setjmp(home))
        jump_deep(depth);
    work();
}

FAR void give_way(int number)
{
    switches++;
    swapcontext(&contexts[number], &main_context);
    work();
}
FAR void inside(int number) { give_way(number); work(); }
FAR void coroutine(int number)
{
    for (;;) {
        inside(number);
    }
}

FAR void on_signal(int signal)
{
    (void)signal;
    handled++;
    work();
    siglongjmp(shelter, 1);
}

PLAIN uint64_t visits(const void *function) { return visits_of(region_of(function, regions), NULL); }

PLAIN void expect(uint64_t found, uint64_t wanted, const char *what)
{
    if (found != wanted) {
        fprintf(stderr, "%s: %lu, not %lu\n", what, (unsigned long)found, (unsigned long)wanted);
        _exit(1);
    }
}

PLAIN void jumps(long times)
{
    for (volatile long i = 0; i < times; i++)
        around(3);
    for (volatile long i = 0; i < times; i++)
        if (!sigsetjmp(shelter, 1))
            jump_by_mask();
    for (volatile long i = 0; i < times; i++)
        if (!_setjmp(home))
            jump_quickly();
}

PLAIN void contexts_take_turns(long times)
{
    static char stacks[8][65536];
    for (int i = 0; i < 8; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks[i];
        contexts[i].uc_stack.ss_size = sizeof stacks[i];
        contexts[i].uc_link = NULL;
        makecontext(&contexts[i], (void (*)(void))coroutine, 1, i);
    }
    for (long i = 0; i < times; i++) {
        swapcontext(&main_context, &contexts[(i * 5 + i / 8) % 8]);
        work();
    }
}

PLAIN void signals(long times, int flags)
{
    static char aside[65536];
    stack_t stack = { .ss_sp = aside, .ss_size = sizeof aside };
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = flags;
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (volatile long i = 0; i < times; i++)
        if (!sigsetjmp(shelter, 1))
            raise(SIGUSR1);
}

PLAIN void spin(double seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double end = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec + seconds;
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec < end);
}

int main(void)
{
    long times = getenv("TIMES") ? atol(getenv("TIMES")) : TIMES;
    int is_measured = play_daemon();
    if (is_measured)
        switch_all_on(regions);
    uint32_t root = is_measured ? current_node() : 0;
    jumps(times);
    if (is_measured) {
        expect(visits((void *)jump_deep), 4 * (uint64_t)times, "visits of jump_deep");
        expect(visits((void *)jump_by_mask), (uint64_t)times, "visits of jump_by_mask");
        expect(visits((void *)jump_quickly), (uint64_t)times, "visits of jump_quickly");
        expect(visits((void *)around), (uint64_t)times, "visits of around");
        expect(visits((void *)work), (uint64_t)times, "visits of work");
        expect(current_node(), root, "current after jumps");
        uint64_t before, after;
        visits_of(region_of((void *)jump_quickly, regions), &before);
        spin(0.05);
        visits_of(region_of((void *)jump_quickly, regions), &after);
        expect(after, before, "time of a function that was left");
    }
    contexts_take_turns(times);
    if (is_measured) {
        expect(current_node(), root, "current after contexts");
        expect(visits((void *)inside), (uint64_t)times - 8, "visits of inside");
        expect(visits((void *)give_way), (uint64_t)times - 8, "visits of give_way");
    }
    long few = times / 10;
    signals(few, 0);
    signals(few, SA_ONSTACK);
    if (is_measured) {
        expect((uint64_t)handled, 2 * (uint64_t)few, "signals");
        expect(visits((void *)on_signal), 2 * (uint64_t)few, "visits of on_signal");
        expect(current_node(), root, "current after signals");
        expect(anomaly_count(), 0, "anomalies");
        if (node_count() > 64)
            fail("the tree grew");
    }
    printf("%ld switches\n", (long)switches);
    return 0;
}
