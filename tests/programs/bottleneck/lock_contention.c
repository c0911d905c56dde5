/* Four threads do nearly all their work under one lock, so that three of them wait at any time.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls lock_contention.c -o lock_contention -lpthread
 * run: lock_contention [seconds]
 * hypothesis: ExcessiveSyncWaitingTime
 * function: /Code/lock_contention.c/update
 * object: /SyncObject/Mutex
 * shows: ExcessiveSyncWaitingTime, ExcessiveLockWaitingTime, WaitsCausedByComputing
 * may show: CPUbound
 * refutes: WaitsCausedByIO, ExcessivePointToPointWaitingTime, ExcessiveCollectiveWaitingTime
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
enum { THREADS = 4 };

static pthread_mutex_t table_lock;
static double deadline;
static long table[2];

/* Work measured by the thread's own processor time, so that no other load on the machine changes its amount. */
OWN_NAME static void compute(double seconds)
{
    volatile double sum = 0.0;
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 1; i < 5000; i++)
            sum += 1.0 / i;
}

OWN_NAME static void update(void)
{
    pthread_mutex_lock(&table_lock);
    table[0]++;
    compute(0.002);
    table[1]++;
    pthread_mutex_unlock(&table_lock);
}

static void *work(void *unused)
{
    while (seconds_of(CLOCK_MONOTONIC) < deadline) {
        update();
        compute(0.0001);
    }
    return unused;
}

/* The main thread is one of the four, so that it does not spend the run waiting for the others. */
int main(int argc, char **argv)
{
    pthread_t threads[THREADS - 1];
    deadline = seconds_of(CLOCK_MONOTONIC) + (argc > 1 ? atof(argv[1]) : 6.0);
    pthread_mutex_init(&table_lock, NULL);
    for (int i = 0; i < THREADS - 1; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    work(NULL);
    for (int i = 0; i < THREADS - 1; i++)
        pthread_join(threads[i], NULL);
    printf("lock_contention: %d threads, updates %s\n", THREADS,
           table[0] == table[1] ? "consistent" : "inconsistent");
    pthread_mutex_destroy(&table_lock);
    return 0;
}
