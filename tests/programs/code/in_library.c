/* The function that takes the time is in a shared library of the program's own.
 *
 * build: cc -O2 in_library.c -o in_library -L. -lgrinding -Wl,-rpath,'$ORIGIN'
 * run: in_library [seconds]
 * hypothesis: CPUbound
 * function: /Code/grinding.c/grinding_step
 * object: none
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

double grinding_step(double x);
double grinding_check(double x);

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 10.0;
    double end = seconds_of(CLOCK_MONOTONIC) + length, x = 0.5;
    while (seconds_of(CLOCK_MONOTONIC) < end)
        x = grinding_check(grinding_step(x));
    printf("in_library: %.3f\n", x);
    return 0;
}
