/* A function of a nanosecond, called by one that is called often, all the time.
 *
 * build: cc -O2 tiny_leaf.c -o tiny_leaf
 * run: tiny_leaf [seconds]
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))

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
    double end = seconds_of(CLOCK_MONOTONIC) + (count > 1 ? atof(words[1]) : 5);
    unsigned x = 1;
    while (seconds_of(CLOCK_MONOTONIC) < end)
        x = stem(x);
    printf("%s\n", x == 0 ? "zero" : "done");
    return 0;
}
