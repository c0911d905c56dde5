/* A function that main calls once, at its very beginning, and that calls nothing: its call is open before anybody can watch.
 *
 * build: cc -O2 called_once.c -o called_once
 * run: called_once [seconds]
 * hypothesis: CPUbound
 * function: /Code/called_once.c/solve
 * object: none
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define OWN_NAME __attribute__((noipa, noinline))

/* The processor's counter tells when to stop: asking the system would be a call. */
OWN_NAME double solve(double x, unsigned long long end)
{
    while (__builtin_ia32_rdtsc() < end)
        for (int i = 0; i < 1000; i++)
            x = x * 0.999 + 1.0 / (1.0 + x * x);
    return x;
}

OWN_NAME double prepare(double x)
{
    for (int i = 0; i < 100000; i++)
        x = x * 0.99 + 0.01;
    return x;
}

OWN_NAME double finish(double x)
{
    for (int i = 0; i < 100000; i++)
        x = x * 0.98 + 0.01;
    return x;
}

static unsigned long long ticks_per_second(void)
{
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    unsigned long long begin = __builtin_ia32_rdtsc();
    do
        clock_gettime(CLOCK_MONOTONIC, &b);
    while (b.tv_sec - a.tv_sec + 1e-9 * (b.tv_nsec - a.tv_nsec) < 0.002);
    return 500 * (__builtin_ia32_rdtsc() - begin);
}

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 10.0;
    unsigned long long each = ticks_per_second();
    double x = prepare(0.5);
    x = solve(x, __builtin_ia32_rdtsc() + (unsigned long long)(length * (double)each));
    printf("called_once: %.3f\n", finish(x));
    return 0;
}
