/* One thread works; four others of a pool wait for work that never comes, until they are sent home.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls idle_pool.c -o idle_pool -lpthread
 * run: idle_pool [seconds]
 * hypothesis: CPUbound
 * function: /Code/idle_pool.c/work_alone
 * object: none
 * shows: CPUbound
 * refutes: ExcessiveSyncWaitingTime, ExcessiveIOBlockingTime
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
enum { WORKERS = 4 };

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t job_ready = PTHREAD_COND_INITIALIZER;
static int is_over;

static void *worker(void *nothing)
{
    pthread_mutex_lock(&queue_lock);
    while (!is_over)
        pthread_cond_wait(&job_ready, &queue_lock);
    pthread_mutex_unlock(&queue_lock);
    return nothing;
}

OWN_NAME static double work_alone(double seconds)
{
    volatile double sum = 0.0;
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 1; i < 5000; i++)
            sum += 1.0 / i;
    return sum;
}

int main(int count, char **words)
{
    double seconds = count > 1 ? atof(words[1]) : 4.0;
    pthread_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&workers[i], NULL, worker, NULL))
            return 1;
    double sum = 0.0;
    for (int round = 0; round < 100; round++)
        sum += work_alone(seconds / 100);
    pthread_mutex_lock(&queue_lock);
    is_over = 1;
    pthread_cond_broadcast(&job_ready);
    pthread_mutex_unlock(&queue_lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    printf("worked: %s\n", sum > 0 ? "yes" : "no");
    return 0;
}
