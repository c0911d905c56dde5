/* A function that calls itself down to twenty levels takes the time, from a loop in main that goes on for long.
 *
 * build: cc -O2 -fno-optimize-sibling-calls recursion.c -o recursion
 * run: recursion [seconds]
 * hypothesis: CPUbound
 * function: /Code/recursion.c/descend
 * object: none
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa, noinline))

OWN_NAME double descend(double x, int depth)
{
    for (int i = 0; i < 2000; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    return depth > 0 ? descend(x, depth - 1) * 0.5 + x : x;
}

OWN_NAME double prepare(double x)
{
    for (int i = 0; i < 500; i++)
        x = x * 0.99 + 0.01;
    return x;
}

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 10.0;
    double end = seconds_of(CLOCK_MONOTONIC) + length, x = 0.5;
    while (seconds_of(CLOCK_MONOTONIC) < end)
        x = descend(prepare(x), 20);
    printf("recursion: %.3f\n", x);
    return 0;
}
