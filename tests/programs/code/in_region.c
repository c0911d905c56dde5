/* The function that takes the time is called in a region that the program names.
 *
 * build: cc -O2 -I<include> in_region.c -o in_region
 * run: in_region [seconds]
 * hypothesis: CPUbound
 * function: /Code/in_region.c/assemble
 * object: none
 */
#define _POSIX_C_SOURCE 200809L
#include "whyperf.h"

#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa, noinline))

static whyperf_region assembly = WHYPERF_REGION("assembly");

OWN_NAME double assemble(double x)
{
    for (int i = 0; i < 40000; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    return x;
}

OWN_NAME double solve(double x)
{
    whyperf_begin(&assembly);
    x = assemble(x);
    whyperf_end(&assembly);
    for (int i = 0; i < 500; i++)
        x = x * 0.99 + 0.01;
    return x;
}

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 10.0;
    double end = seconds_of(CLOCK_MONOTONIC) + length, x = 0.5;
    while (seconds_of(CLOCK_MONOTONIC) < end)
        x = solve(x);
    printf("in_region: %.3f\n", x);
    return 0;
}
