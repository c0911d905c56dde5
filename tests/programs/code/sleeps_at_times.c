/*
 * A function that computes, called between sleeps that no event tells of.
 *
 * Prints the seconds of processor time that its own clock saw in the function, and in all.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 150, PAUSE_US = 20000 };
static const double WORK_S = 0.005;

static double processor_time(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static volatile double sink;

__attribute__((noinline)) static void work(void)
{
    double begin = processor_time(CLOCK_THREAD_CPUTIME_ID);
    while (processor_time(CLOCK_THREAD_CPUTIME_ID) < begin + WORK_S) {
        for (int i = 0; i < 200000; i++)
            sink += 0.5 * i;
    }
}

__attribute__((noinline)) static double solve(void)
{
    double in_work = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = processor_time(CLOCK_THREAD_CPUTIME_ID);
        work();
        in_work += processor_time(CLOCK_THREAD_CPUTIME_ID) - begin;
        usleep(PAUSE_US);
    }
    return in_work;
}

int main(void)
{
    double in_work = solve();
    printf("%.6f %.6f\n", in_work, processor_time(CLOCK_PROCESS_CPUTIME_ID));
    return 0;
}
