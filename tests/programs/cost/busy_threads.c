/* Four threads that call small functions all the time, and begin and end phases of them.
 *
 * build: cc -O2 -pthread busy_threads.c -o busy_threads
 * run: busy_threads [seconds]
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
enum { THREADS = 4 };

static double end;

OWN_NAME double short_one(double x) { return x * 0.999 + 1.0 / (1.0 + x * x); }

OWN_NAME double quiet_phase(double x)
{
    for (int i = 0; i < 3000000; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    return x;
}

OWN_NAME double busy_phase(double x)
{
    for (int i = 0; i < 1000000; i++)
        x = short_one(x);
    return x;
}

static void *work(void *own)
{
    double *x = own;
    while (seconds_of(CLOCK_MONOTONIC) < end)
        *x = busy_phase(quiet_phase(*x));
    return NULL;
}

int main(int count, char **words)
{
    pthread_t threads[THREADS];
    double x[THREADS] = { 1, 2, 3, 4 };
    end = seconds_of(CLOCK_MONOTONIC) + (count > 1 ? atof(words[1]) : 5);
    for (int at = 0; at < THREADS; at++)
        if (pthread_create(&threads[at], NULL, work, &x[at]))
            return 1;
    for (int at = 0; at < THREADS; at++)
        pthread_join(threads[at], NULL);
    printf("%s\n", x[0] == 0 ? "zero" : "done");
    return 0;
}
