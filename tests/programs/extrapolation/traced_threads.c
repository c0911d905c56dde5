/* Threads that compute, meet at a barrier, and are joined.
 *
 * build: cc -g -O2 -pthread traced_threads.c -o traced_threads
 * run: traced_threads THREADS ROUNDS [polls]
 * expect: one line; a trace has a rank for each thread and one for main, and ROUNDS barriers in each but main; with "polls" the last thread
 *   spins in each round until the first one has computed, in no call
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t barrier;
static int rounds, polls, last;
static volatile int computed;

static void *work(void *argument)
{
    volatile double sum = 0;
    for (int round = 0; round < rounds; round++) {
        while (polls && (long)argument == last && computed <= round)
            ;
        for (long step = 0; step < 100000L; step++)
            sum += (double)step * (double)(long)argument;
        if (argument == NULL)
            computed = round + 1;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int count, char **words)
{
    int threads = count > 1 ? atoi(words[1]) : 2;
    rounds = count > 2 ? atoi(words[2]) : 10;
    polls = count > 3;
    last = threads - 1;
    pthread_t all[16];
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (long at = 0; at < threads; at++)
        pthread_create(&all[at], NULL, work, (void *)at);
    for (int at = 0; at < threads; at++)
        pthread_join(all[at], NULL);
    printf("traced_threads: %d threads\n", threads);
    return 0;
}
