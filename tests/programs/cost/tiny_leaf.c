/* A function of a nanosecond, called by one that is called often, all the time.
 *
 * build: cc -O2 tiny_leaf.c -o tiny_leaf
 * run: tiny_leaf [seconds]
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define OWN_NAME __attribute__((noipa))

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

OWN_NAME unsigned leaf(unsigned x) { return x * 2654435761u + 1; }

OWN_NAME unsigned branch(unsigned x)
{
    for (int i = 0; i < 200; i++)
        x ^= leaf(x);
    return x;
}

OWN_NAME unsigned stem(unsigned x)
{
    for (int i = 0; i < 5000; i++)
        x += branch(x);
    return x;
}

int main(int count, char **words)
{
    double end = now() + (count > 1 ? atof(words[1]) : 5);
    unsigned x = 1;
    while (now() < end)
        x = stem(x);
    printf("%s\n", x == 0 ? "zero" : "done");
    return 0;
}
