/* Many threads compute for a moment, all at once, and then wait in a system call that no library makes for them: none of them waits for a
 * processor any more. The program says at the end, as shares of the lives of all threads, what they did by clocks of their own.
 *
 * build: cc -O2 -pthread resting.c -o resting
 * run: resting threads seconds
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../seconds.h"
#include "delayed.h"

/* Seconds. */
struct life {
    pthread_t id;
    double lived, computed, delayed;
};

static const double MOMENT = 0.005;
static double end;
static unsigned word;

static void *live(void *whose)
{
    struct life *life = whose;
    double begin = seconds_of(CLOCK_MONOTONIC);
    volatile double sum = 0.0;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < MOMENT)
        for (int i = 1; i < 1000; i++)
            sum += 1.0 / i;
    double left = end - seconds_of(CLOCK_MONOTONIC);
    struct timespec t = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
    if (left > 0)
        syscall(SYS_futex, &word, FUTEX_WAIT, 0, &t, NULL, 0);
    life->lived = seconds_of(CLOCK_MONOTONIC) - begin;
    life->computed = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    life->delayed = delayed();
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 60;
    double begin = seconds_of(CLOCK_MONOTONIC), lived = 0, computed = 0, waited = 0;
    struct life *lives = calloc((size_t)threads, sizeof *lives);
    if (!lives)
        return 1;
    end = begin + (argc > 2 ? atof(argv[2]) : 3.0);
    for (int at = 0; at < threads; at++)
        if (pthread_create(&lives[at].id, NULL, live, &lives[at]))
            return 1;
    for (int at = 0; at < threads; at++) {
        pthread_join(lives[at].id, NULL);
        lived += lives[at].lived;
        computed += lives[at].computed;
        waited += lives[at].delayed;
    }
    double all = lived + seconds_of(CLOCK_MONOTONIC) - begin;
    printf("process %d\n", (int)getpid());
    printf("computing %.4f\nwaiting 0\nio 0\nprocessor %.4f\n", computed / all, waited / all);
    printf("blocked %.4f\nidle %.4f\n", (lived - computed - waited) / all, (all - lived) / all);
    free(lives);
    return 0;
}
