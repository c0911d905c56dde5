/* Computes until a time: work that waits for nothing. */
#ifndef COMPUTE_UNTIL_H
#define COMPUTE_UNTIL_H

#include "../seconds.h"

__attribute__((noipa)) static double compute(double end)
{
    double largest = 0.0;
    while (seconds_of(CLOCK_MONOTONIC) < end) {
        double sum = 0.0;
        for (int i = 1; i < 100000; i++)
            sum += 1.0 / ((double)i * i);
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

#endif
