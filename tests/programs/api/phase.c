/* Phases of a program, one after the other and one of them twice.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -I<include> phase.c -o phase
 * run: phase
 * expect: its line; the phases "assembly", "solution", "assembly" in this order
 */
#include "whyperf.h"

#include <stdio.h>

__attribute__((noipa)) static double work(int terms)
{
    double sum = 0.0;
    for (int i = 1; i <= terms; i++)
        sum += 1.0 / ((double)i * i);
    return sum;
}

int main(void)
{
    whyperf_phase("assembly");
    double sum = work(1000);
    whyperf_phase("solution");
    sum += work(2000);
    whyperf_phase("assembly");
    sum += work(3000);
    printf("phase: sum %.6f\n", sum);
    return 0;
}
