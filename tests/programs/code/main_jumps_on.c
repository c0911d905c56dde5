/*
 * A `main` that ends in a jump: it has no frame while what it jumped to does all the work, once.
 *
 * Prints the seconds of processor time that the work took.
 */
#define _GNU_SOURCE
#include <stdio.h>

#include "../seconds.h"

static const double WORK_S = 4.0;

static volatile double sink;

__attribute__((noinline)) static void spin(void)
{
    for (int i = 0; i < 200000; i++)
        sink += 0.5 * i;
}

__attribute__((noinline)) static int work(void)
{
    double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin < WORK_S)
        spin();
    printf("%.6f\n", seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin);
    return 0;
}

int main(void)
{
    return work();
}
