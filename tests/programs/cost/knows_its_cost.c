/* Begins and ends a region thousands of times in each step, and finds out by itself how much longer a step takes for that: it pauses the
 * measurement and lets it go on in turns, and times blocks of steps. Then it goes on without, for whoever wants to find out the same from outside.
 *
 * build: cc -g -O2 -I include knows_its_cost.c -o knows_its_cost -ldl
 * run: knows_its_cost [seconds]
 * prints: by which part a step is slower while it is measured, and by how much that may be wrong
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <whyperf.h>

#include "../seconds.h"

enum { COMPUTING = 12000, VISITS = 6000, PAIRS = 40, STEPS = 20 };

static whyperf_region step_region = WHYPERF_REGION("step");
static whyperf_region inner_region = WHYPERF_REGION("inner");
static volatile double sink;

static void step(void)
{
    double x = 1;
    whyperf_begin(&step_region);
    for (int i = 0; i < COMPUTING; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    /* Around nothing, so that nothing hides what they take. */
    for (int i = 0; i < VISITS; i++) {
        whyperf_begin(&inner_region);
        whyperf_end(&inner_region);
    }
    whyperf_end(&step_region);
    sink = x;
}

/* Seconds of a block of steps, on this processor's clock: what others do beside it does not count. */
static double block(void)
{
    double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < STEPS; i++)
        step();
    return seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin;
}

int main(int count, char **words)
{
    double sum = 0, squares = 0;
    step();
    for (int pair = 0; pair < PAIRS; pair++) {
        double on = block();
        whyperf_pause();
        double off = block();
        whyperf_resume();
        double ratio = log(on / off);
        sum += ratio;
        squares += ratio * ratio;
    }
    double mean = sum / PAIRS;
    double variance = (squares / PAIRS - mean * mean) / (PAIRS - 1);
    double slower = exp(mean);
    printf("%.6f %.6f\n", slower - 1, slower * 2 * sqrt(variance));
    fflush(stdout);
    double end = seconds_of(CLOCK_MONOTONIC) + (count > 1 ? atof(words[1]) : 5.0);
    while (seconds_of(CLOCK_MONOTONIC) < end)
        step();
    return 0;
}
