/*
 * Functions that end in jumps: they have no frame while what they jumped to runs for them. Where that is told by the run
 * only, the function cannot be switched on.
 *
 * Prints the seconds of processor time that their caller's clock saw in `assemble` and in `relay`, and those in all.
 */
#define _GNU_SOURCE
#include <stdio.h>

#include "../seconds.h"

enum { ROUNDS = 60 };
static const double ASSEMBLED_S = 0.04, OTHERS_S = 0.03;

static volatile double sink;

__attribute__((noinline)) static double spin(double seconds)
{
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end) {
        for (int i = 0; i < 20000; i++)
            sink += 0.5 * i;
    }
    return sink;
}

static double (*volatile chosen)(double) = spin;

__attribute__((noinline)) static double assemble(double seconds)
{
    return chosen(seconds);
}

__attribute__((noinline)) static double others(double seconds)
{
    return 1.0 + spin(seconds);
}

__attribute__((noinline)) static double relay(double seconds)
{
    sink += seconds;
    return others(seconds);
}

int main(void)
{
    double assembled = 0, relayed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        sink = assemble(ASSEMBLED_S);
        assembled += seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin;
        begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        sink = relay(OTHERS_S);
        relayed += seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin;
    }
    printf("%.6f %.6f %.6f\n", assembled, relayed, seconds_of(CLOCK_PROCESS_CPUTIME_ID));
    return 0;
}
