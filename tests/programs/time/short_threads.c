/* A thread starts others that compute for a millisecond each, four at a time, and waits for them to end: each is gone before anybody can look at it.
 * The program says at the end which part of all threads' time it ran, by clocks of its own.
 *
 * build: cc -O2 -pthread short_threads.c -o short_threads
 * run: short_threads seconds
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../seconds.h"

enum { AT_ONCE = 4 };
static const double MOMENT = 0.001;

static void *computes(void *lived)
{
    double begin = seconds_of(CLOCK_MONOTONIC);
    volatile double sum = 0.0;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < MOMENT)
        for (int i = 1; i < 1000; i++)
            sum += 1.0 / i;
    *(double *)lived = seconds_of(CLOCK_MONOTONIC) - begin;
    return NULL;
}

int main(int argc, char **argv)
{
    double begin = seconds_of(CLOCK_MONOTONIC), length = argc > 1 ? atof(argv[1]) : 3.0, lived = 0;
    while (seconds_of(CLOCK_MONOTONIC) < begin + length) {
        pthread_t threads[AT_ONCE];
        double each[AT_ONCE];
        for (int at = 0; at < AT_ONCE; at++)
            if (pthread_create(&threads[at], NULL, computes, &each[at]) != 0)
                return 1;
        for (int at = 0; at < AT_ONCE; at++) {
            pthread_join(threads[at], NULL);
            lived += each[at];
        }
    }
    lived += seconds_of(CLOCK_MONOTONIC) - begin;
    printf("process %d\n", (int)getpid());
    printf("computing %.4f\n", seconds_of(CLOCK_PROCESS_CPUTIME_ID) / lived);
    return 0;
}
