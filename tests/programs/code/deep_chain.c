/* Each of twelve functions does nothing but call the next; the last one takes the time.
 *
 * build: cc -O2 -fno-optimize-sibling-calls deep_chain.c -o deep_chain
 * run: deep_chain [seconds]
 * hypothesis: CPUbound
 * function: /Code/deep_chain.c/link_12
 * object: none
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa, noinline))

OWN_NAME double link_12(double x)
{
    for (int i = 0; i < 40000; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    return x;
}

#define LINK(number, next) \
    OWN_NAME double link_##number(double x) { return link_##next(x + 0.001) + 0.5; }
LINK(11, 12) LINK(10, 11) LINK(9, 10) LINK(8, 9) LINK(7, 8) LINK(6, 7)
LINK(5, 6) LINK(4, 5) LINK(3, 4) LINK(2, 3) LINK(1, 2)

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 10.0;
    double end = seconds_of(CLOCK_MONOTONIC) + length, x = 0.5;
    while (seconds_of(CLOCK_MONOTONIC) < end)
        x = link_1(x) * 0.01;
    printf("deep_chain: %.3f\n", x);
    return 0;
}
