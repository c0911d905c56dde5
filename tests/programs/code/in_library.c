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
#include <time.h>

double grinding_step(double x);
double grinding_check(double x);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 10.0;
    double end = now() + length, x = 0.5;
    while (now() < end)
        x = grinding_check(grinding_step(x));
    printf("in_library: %.3f\n", x);
    return 0;
}
