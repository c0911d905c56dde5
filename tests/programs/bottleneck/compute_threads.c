/* Two threads compute for the same time and share nothing: nothing but processor time is to be found.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls compute_threads.c -o compute_threads -lpthread
 * run: compute_threads [seconds]
 * hypothesis: CPUbound; no synchronization and no I/O conclusion
 * function: /Code/compute_threads.c/compute
 * object: none
 * shows: CPUbound
 * refutes: ExcessiveSyncWaitingTime, ExcessiveLoadImbalance, BlockedElsewhere
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))

/* Ends by the wall clock, so that the main thread has next to nothing to wait for when it joins. */
OWN_NAME static double compute(double end)
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

static void *work(void *argument)
{
    double *value = argument;
    *value = compute(*value);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    double end = seconds_of(CLOCK_MONOTONIC) + (argc > 1 ? atof(argv[1]) : 6.0);
    double own = end, other = end;
    pthread_create(&thread, NULL, work, &other);
    work(&own);
    pthread_join(thread, NULL);
    printf("compute_threads: sums %.6f %.6f\n", own, other);
    return 0;
}
