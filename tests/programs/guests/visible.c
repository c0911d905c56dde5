/* Says what a program can see of itself: which signals it handles, and how many frames it has in functions that are called all the time.
 *
 * run: visible SECONDS
 * expect: the same with the library as without
 */
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile double sum;
static int seen[64];

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((noinline)) void inner(void)
{
    void *frames[64];
    for (int i = 1; i < 20000; i++)
        sum += 1.0 / i;
    seen[backtrace(frames, 64)] = 1;
}

__attribute__((noinline)) void outer(void)
{
    inner();
    sum += 1;
}

int main(int argc, char **argv)
{
    void *frames[64];
    double end = seconds() + (argc > 1 ? atof(argv[1]) : 1);
    (void)backtrace(frames, 64);
    while (seconds() < end)
        outer();
    for (int count = 0; count < 64; count++)
        if (seen[count])
            printf("visible: %d frames\n", count);
    for (int signal = 1; signal < 65; signal++) {
        struct sigaction action;
        if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
            printf("visible: signal %d is handled\n", signal);
    }
    return 0;
}
