/* The threads of a parallel loop of OpenMP take the time, in what the loop calls.
 *
 * build: cc -O2 -fopenmp parallel_loop.c -o parallel_loop
 * run: parallel_loop [seconds]
 * hypothesis: CPUbound
 * function: /Code/parallel_loop.c/cell
 * object: none
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa, noinline))
#define CELLS 64

OWN_NAME double cell(double x)
{
    for (int i = 0; i < 4000; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    return x;
}

OWN_NAME void sweep(double *cells)
{
#pragma omp parallel for
    for (int i = 0; i < CELLS; i++)
        cells[i] = cell(cells[i]);
}

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 10.0, cells[CELLS] = {0.5}, sum = 0.0;
    double end = seconds_of(CLOCK_MONOTONIC) + length;
    while (seconds_of(CLOCK_MONOTONIC) < end)
        sweep(cells);
    for (int i = 0; i < CELLS; i++)
        sum += cells[i];
    printf("parallel_loop: %d\n", sum > 0.0);
    return 0;
}
