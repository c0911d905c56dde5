/* The same nested loops with and without regions around them, in turns: what the regions cost is known to the program.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -I<include> nested.c -o nested
 * run: nested
 * expect: "bare <seconds> with <seconds> ran <share of the time that it had a processor>"; the time in "outer" and below it, less what events cost, is that without regions
 */
#define _POSIX_C_SOURCE 200809L
#include "whyperf.h"

#include <stdio.h>

#include "../seconds.h"

static whyperf_region outer = WHYPERF_REGION("outer");
static whyperf_region middle = WHYPERF_REGION("middle");
static whyperf_region inner = WHYPERF_REGION("inner");

/* Work that does not hide the events beside it: nothing in it waits for anything. */
static int cells[8];
__attribute__((noipa)) static double leaf(double x)
{
    for (int i = 0; i < 8; i++)
        cells[i] += i;
    return x;
}

__attribute__((noipa)) static double bare(double x)
{
    for (int i = 0; i < 100; i++) {
        x = leaf(x);
        for (int j = 0; j < 4; j++)
            x = leaf(x);
    }
    return x;
}

__attribute__((noipa)) static double with_regions(double x)
{
    whyperf_begin(&outer);
    for (int i = 0; i < 100; i++) {
        whyperf_begin(&middle);
        x = leaf(x);
        for (int j = 0; j < 4; j++) {
            whyperf_begin(&inner);
            x = leaf(x);
            whyperf_end(&inner);
        }
        whyperf_end(&middle);
    }
    whyperf_end(&outer);
    return x;
}

int main(void)
{
    double x = 0.5, bare_time = 0, with_time = 0;
    double cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID), begin = seconds_of(CLOCK_MONOTONIC);
    /* Few enough that no region is too hot. */
    for (int turn = 0; turn < 2000; turn++) {
        double first = seconds_of(CLOCK_MONOTONIC);
        x = bare(x);
        double second = seconds_of(CLOCK_MONOTONIC);
        x = with_regions(x);
        double third = seconds_of(CLOCK_MONOTONIC);
        bare_time += second - first;
        with_time += third - second;
    }
    double ran = (seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu) / (seconds_of(CLOCK_MONOTONIC) - begin);
    printf("bare %.9f with %.9f ran %.3f x %.3f\n", bare_time, with_time, ran, x);
    return 0;
}
