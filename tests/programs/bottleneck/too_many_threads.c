/* Twelve times as many threads as there are processors compute: each of them waits most of the time for its turn.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls too_many_threads.c -o too_many_threads -lpthread
 * run: too_many_threads [seconds]
 * hypothesis: WaitingForProcessors
 * function: none
 * object: none
 * shows: WaitingForProcessors, TooManyThreads, CPUbound
 * may show: OtherPrograms
 * refutes: ExcessiveSyncWaitingTime, BlockedElsewhere
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "compute_until.h"

static double end;

static void *work(void *result)
{
    *(double *)result = compute(end);
    return NULL;
}

int main(int argc, char **argv)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 1;
    int count = 12 * CPU_COUNT(&allowed);
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    double *results = calloc((size_t)count, sizeof *results);
    end = seconds_of(CLOCK_MONOTONIC) + (argc > 1 ? atof(argv[1]) : 6.0);
    for (int i = 1; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, &results[i]) != 0)
            return 1;
    work(&results[0]);
    for (int i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("too_many_threads: %.4f\n", results[0]);
    return 0;
}
