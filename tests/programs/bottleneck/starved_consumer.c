/* A consumer waits on a condition nearly all the time, because the producer's source is slow.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls starved_consumer.c -o starved_consumer -lpthread
 * run: starved_consumer [seconds]
 * hypothesis: ExcessiveSyncWaitingTime
 * function: /Code/starved_consumer.c/take_item
 * object: /SyncObject/CondVar
 * shows: ExcessiveSyncWaitingTime
 * may show: CPUbound, BlockedElsewhere, WaitsCausedByBlocking, WaitsCausedByComputing
 * refutes: ExcessiveLockWaitingTime, ExcessiveIOBlockingTime
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
static const double ROUND = 0.030;

static pthread_mutex_t queue_lock;
static pthread_cond_t item_ready;
static int produced, items;

/* Work measured by the thread's own processor time, so that no other load on the machine changes its amount. */
OWN_NAME static void compute(double seconds)
{
    volatile double sum = 0.0;
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 1; i < 5000; i++)
            sum += 1.0 / i;
}

static void idle(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&t, &t))
        ;
}

OWN_NAME static void make_item(void)
{
    idle(ROUND * 0.9);
    compute(ROUND * 0.1);
    pthread_mutex_lock(&queue_lock);
    produced++;
    pthread_cond_signal(&item_ready);
    pthread_mutex_unlock(&queue_lock);
}

OWN_NAME static void take_item(int item)
{
    pthread_mutex_lock(&queue_lock);
    while (produced <= item)
        pthread_cond_wait(&item_ready, &queue_lock);
    pthread_mutex_unlock(&queue_lock);
}

static void *consume(void *unused)
{
    for (int item = 0; item < items; item++) {
        take_item(item);
        compute(ROUND * 0.05);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t consumer;
    items = (int)((argc > 1 ? atof(argv[1]) : 6.0) / ROUND);
    pthread_mutex_init(&queue_lock, NULL);
    pthread_cond_init(&item_ready, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    for (int item = 0; item < items; item++)
        make_item();
    pthread_join(consumer, NULL);
    printf("starved_consumer: %d items\n", items);
    pthread_cond_destroy(&item_ready);
    pthread_mutex_destroy(&queue_lock);
    return 0;
}
