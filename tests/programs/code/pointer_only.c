/* The function that takes the time is called through a table of pointers only: no call names it.
 *
 * build: cc -O2 pointer_only.c -o pointer_only
 * run: pointer_only [seconds]
 * hypothesis: CPUbound
 * function: /Code/pointer_only.c/heavy
 * object: none
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa, noinline))

static double grind(double x, int rounds)
{
    for (int i = 0; i < rounds; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    return x;
}

OWN_NAME static double light(double x) { return grind(x, 100); }
OWN_NAME static double heavy(double x) { return grind(x, 20000); }
OWN_NAME static double middling(double x) { return grind(x, 300); }

typedef double (*part)(double);
part parts[] = {light, heavy, middling};

OWN_NAME double turn(double x)
{
    for (int i = 0; i < 3; i++)
        x = parts[i](x);
    return x;
}

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 10.0;
    double end = seconds_of(CLOCK_MONOTONIC) + length, x = 0.5;
    while (seconds_of(CLOCK_MONOTONIC) < end)
        x = turn(x);
    printf("pointer_only: %.3f\n", x);
    return 0;
}
