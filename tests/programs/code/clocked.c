/* Computes in two functions, three times as long in one as in the other, and says for how many nanoseconds it ran in each, and in all, by the
 * clock of its thread.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

static volatile double result;
static double ran[2];

static void compute(double seconds, int which)
{
    double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID), now = begin, x = 1;
    while (now < begin + seconds) {
        for (int step = 0; step < 20000; step++)
            x = x * 1.0000001 + 1e-9;
        now = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    }
    result = x;
    ran[which] += now - begin;
}

__attribute__((noinline, noclone)) void little(void)
{
    compute(0.01, 0);
}

__attribute__((noinline, noclone)) void much(void)
{
    compute(0.03, 1);
}

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : 50;
    while (turns-- > 0) {
        little();
        much();
    }
    printf("%.0f %.0f %.0f\n", 1e9 * ran[0], 1e9 * ran[1], 1e9 * seconds_of(CLOCK_THREAD_CPUTIME_ID));
    return 0;
}
