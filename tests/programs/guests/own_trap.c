/* A program with a handler of its own for SIGTRAP, installed after its functions have been called for a while: the handler calls
 * functions that are called outside of it, too, and steps over a breakpoint instruction.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls own_trap.c -o own_trap -lpthread
 * run: own_trap [milliseconds]
 * expect: its line: every breakpoint was handled
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile long handled;
static volatile int stop;
static volatile long sink;

#define STEP(n) __attribute__((noinline)) long step##n(long v) { sink += v; return v * (n + 2) + sink % 3; }
STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)

__attribute__((noinline)) long walk(long v)
{
    return step0(v) + step1(v) + step2(v) + step3(v) + step4(v) + step5(v) + step6(v) + step7(v);
}

__attribute__((noinline)) void on_trap(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info, (void)context;
    handled++;
    sink += walk(handled);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void *work(void *unused)
{
    while (!stop)
        sink += walk(sink & 7);
    return unused;
}

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 400, begin = now();
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    while (now() < begin + length / 4)
        sink += walk(1);
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    long sent = 0;
    while (now() < begin + length) {
        __asm__ volatile("int3");
        sent++;
        for (int i = 0; i < 2; i++)
            sink += walk(i);
    }
    stop = 1;
    pthread_join(worker, NULL);
    struct sigaction old;
    sigaction(SIGTRAP, NULL, &old);
    printf("own_trap: %s\n", sent == handled && old.sa_sigaction == on_trap ? "every breakpoint was handled" : "breakpoints were lost");
    return sent != handled;
}
