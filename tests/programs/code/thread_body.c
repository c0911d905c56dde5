/* Threads take the time in the very function that they begin with, which calls nothing.
 *
 * build: cc -O2 -pthread thread_body.c -o thread_body
 * run: thread_body [seconds]
 * hypothesis: CPUbound
 * function: /Code/thread_body.c/toil
 * object: none
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static atomic_int is_over;

static void *toil(void *place)
{
    double x = *(double *)place;
    while (!atomic_load_explicit(&is_over, memory_order_relaxed))
        for (int i = 0; i < 1000; i++)
            x = x * 0.999 + 1.0 / (1.0 + x * x);
    *(double *)place = x;
    return NULL;
}

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 10.0, values[2] = {0.5, 0.25};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, toil, &values[i]) != 0)
            return 1;
    struct timespec pause = {(time_t)length, (long)((length - (double)(time_t)length) * 1e9)};
    nanosleep(&pause, NULL);
    atomic_store(&is_over, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("thread_body: %d\n", values[0] + values[1] > 0.0);
    return 0;
}
