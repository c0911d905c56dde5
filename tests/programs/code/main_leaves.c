/* The first thread leaves, and another one has the time: of the first the system tells nothing any more.
 *
 * build: cc -O2 -pthread main_leaves.c -o main_leaves
 * run: main_leaves [seconds]
 * hypothesis: CPUbound
 * function: /Code/main_leaves.c/grind
 * object: none
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

__attribute__((noipa)) static double grind(double x)
{
    for (int i = 0; i < 200000; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    return x;
}

static void *toil(void *end)
{
    double x = 0.5;
    while (seconds_of(CLOCK_MONOTONIC) < *(double *)end)
        x = grind(x);
    printf("main_leaves: %d\n", x > 0.0);
    return NULL;
}

int main(int argc, char **argv)
{
    static double end;
    pthread_t thread;
    end = seconds_of(CLOCK_MONOTONIC) + (argc > 1 ? atof(argv[1]) : 10.0);
    if (pthread_create(&thread, NULL, toil, &end) != 0)
        return 1;
    pthread_detach(thread);
    pthread_exit(NULL);
}
