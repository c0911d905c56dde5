/* Functions that the compiler made announce their calls: called in every way, and left in every way there is.
 *
 * build: gcc or clang, -finstrument-functions -pthread
 * run: announced
 * expect: every visit of a function that is on is counted, the tree stays small, and what is printed is as without
 */
#include "daemon.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>

#define FAR __attribute__((noinline))

enum { THREADS = 4, CALLS = 20000, DEEP = 20000, JUMPS = 100000, SWITCHES = 1000, SIGNALS = 200 };

static volatile long sink;
static jmp_buf back;

FAR long plain(long x) { sink = x; return x + 1; }
/* What is stored keeps a compiler from making a loop of it. */
FAR long deep(long n)
{
    long below = n ? deep(n - 1) + 1 : 0;
    sink = below;
    return below;
}
FAR long even(long n);
FAR long odd(long n) { return n ? even(n - 1) + 1 : 0; }
FAR long even(long n) { return n ? odd(n - 1) + 1 : 0; }
FAR void jumps(long n)
{
    if (n & 1)
        longjmp(back, 1);
    sink = n;
}
FAR void handled(int signal) { sink += signal != 0; }
FAR double mixed(double a, int b, float c, long d) { return a + b + (double)c + (double)d; }
FAR long ends_by_a_jump(long x) { return plain(x); }

FAR void jump_often(void)
{
    for (volatile long i = 0; i < JUMPS; i++)
        if (!setjmp(back))
            jumps(i);
}

FAR void *work(void *sum)
{
    long total = 0;
    for (long i = 0; i < CALLS; i++)
        total += plain(i);
    *(long *)sum = total;
    return sum;
}

static ucontext_t here, there;
static char stack[65536];
FAR void coroutine(void)
{
    for (;;) {
        plain(7);
        swapcontext(&there, &here);
    }
}

FAR void switch_often(void)
{
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    makecontext(&there, coroutine, 0);
    for (int i = 0; i < SWITCHES; i++)
        swapcontext(&here, &there);
}

FAR long in_child(void)
{
    long sum = 0;
    for (int i = 0; i < 100; i++)
        sum += plain(i);
    return sum;
}

typedef void function(void);
#define FUNCTION(name) { #name, (function *)(name), 0, 0 }
static struct { const char *name; function *address; int region; uint64_t calls; } functions[] = {
    FUNCTION(plain), FUNCTION(deep), FUNCTION(even), FUNCTION(odd), FUNCTION(jumps), FUNCTION(handled),
    FUNCTION(mixed), FUNCTION(ends_by_a_jump), FUNCTION(jump_often), FUNCTION(work), FUNCTION(switch_often),
};
enum { PLAIN_ONE, DEEP_ONE, EVEN, ODD, JUMPING, HANDLED, MIXED, ENDING, JUMP_OFTEN, WORK, SWITCH_OFTEN, COUNT };

/* Such a function needs no site: its record has the entry alone. */
PLAIN void arm_all(void)
{
    for (int i = 0; i < COUNT; i++) {
        memset(RECORDS + i, 0, sizeof *RECORDS);
        RECORDS[i].entry = (uintptr_t)functions[i].address;
    }
    if (ask(ARM, 0, COUNT, 0, ARMED)[1] != COUNT)
        fail("not all armed");
    for (int i = 0; i < COUNT; i++)
        functions[i].region = (int)(RESULTS_OF(i) >> 32);
}

PLAIN void expect(int measured, int which, uint64_t calls)
{
    functions[which].calls += calls;
    uint64_t found = measured ? visits_of(functions[which].region, NULL) : 0;
    if (measured && found != functions[which].calls) {
        fprintf(stderr, "%s: %lu visits, not %lu\n", functions[which].name, (unsigned long)found,
                (unsigned long)functions[which].calls);
        _exit(1);
    }
}

PLAIN void in_every_way(int measured)
{
    pthread_t threads[THREADS];
    long sums[THREADS], total = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &sums[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        total += sums[i];
    }
    expect(measured, WORK, THREADS);
    expect(measured, PLAIN_ONE, (uint64_t)THREADS * CALLS);
    printf("threads %ld, deep %ld, mutual %ld\n", total, deep(DEEP), even(DEEP));
    expect(measured, DEEP_ONE, DEEP + 1);
    expect(measured, EVEN, DEEP / 2 + 1);
    expect(measured, ODD, DEEP / 2);
    jump_often();
    expect(measured, JUMPING, JUMPS);
    expect(measured, JUMP_OFTEN, 1);
    switch_often();
    expect(measured, SWITCH_OFTEN, 1);
    expect(measured, PLAIN_ONE, SWITCHES);
    for (int i = 0; i < SIGNALS; i++)
        raise(SIGUSR1);
    expect(measured, HANDLED, SIGNALS);
    printf("mixed %g, chain %ld\n", mixed(1.5, 2, 3.25f, 4), ends_by_a_jump(4));
    expect(measured, MIXED, 1);
    expect(measured, ENDING, 1);
    expect(measured, PLAIN_ONE, 1);
}

PLAIN void switched(int measured)
{
    if (measured)
        switch_off(functions[PLAIN_ONE].region);
    for (long i = 0; i < CALLS; i++)
        plain(i);
    expect(measured, PLAIN_ONE, 0);
    if (measured)
        switch_on(functions[PLAIN_ONE].region);
    for (long i = 0; i < CALLS; i++)
        plain(i);
    expect(measured, PLAIN_ONE, CALLS);
    /* Given back and taken again, it is the same region. */
    if (measured) {
        disarm(functions[PLAIN_ONE].region);
        plain(1);
        int before = functions[PLAIN_ONE].region;
        arm_all();
        if (functions[PLAIN_ONE].region != before)
            fail("a second region for one function");
        switch_on(before);
    }
    plain(1);
    expect(measured, PLAIN_ONE, 1);
}

int main(void)
{
    int measured = play_daemon();
    if (measured) {
        arm_all();
        for (int i = 0; i < COUNT; i++)
            switch_on(functions[i].region);
    }
    signal(SIGUSR1, handled);
    in_every_way(measured);
    switched(measured);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit((int)(in_child() % 100));
    int status = 0;
    waitpid(child, &status, 0);
    printf("child %d, sink %ld\n", WEXITSTATUS(status), sink);
    expect(measured, PLAIN_ONE, 0);
    if (measured && node_count() > 48) {
        fprintf(stderr, "%u nodes\n", (unsigned)node_count());
        return 1;
    }
    return 0;
}
