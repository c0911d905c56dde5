/* Functions that call each other in a circle: `relax` calls `refine`, which calls `smooth`, which calls `relax` again.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls calls_back.c -o calls_back
 * run: calls_back
 * expect: three numbers: the seconds of processor time in `refine`, in `smooth` and in all, each with what it calls
 */
#define _GNU_SOURCE
#include <stdio.h>

#include "../seconds.h"

static volatile double result;
static double refined, smoothed;
static int refining, smoothing;

static void relax(int level);

static double seconds(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static __attribute__((noinline)) void work(int rounds)
{
    for (int i = 0; i < rounds; i++)
        result += i * 0.5;
}

static __attribute__((noinline)) void smooth(int level)
{
    double begin = seconds();
    smoothing++;
    work(100000);
    if (level > 0)
        relax(level - 1);
    if (--smoothing == 0)
        smoothed += seconds() - begin;
}

static __attribute__((noinline)) void refine(int level)
{
    double begin = seconds();
    refining++;
    work(50000);
    smooth(level);
    if (--refining == 0)
        refined += seconds() - begin;
}

static __attribute__((noinline)) void relax(int level)
{
    work(100000);
    refine(level);
}

int main(void)
{
    double begin = seconds();
    while (seconds() - begin < 4)
        relax(9);
    printf("%.3f %.3f %.3f\n", refined, smoothed, seconds() - begin);
    return 0;
}
