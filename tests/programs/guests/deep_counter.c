/* A program that counts and sets below a thousand regions opened inside one another.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -I<include> deep_counter.c -o deep_counter
 * run: deep_counter
 * expect: its line; "level" was visited 1000 times, "cells" 250 times with 31125 in all
 */
#include "whyperf.h"

#include <stdio.h>

static whyperf_region level = WHYPERF_REGION("level");
static whyperf_counter cells = WHYPERF_COUNTER("cells");

static long descend(int depth)
{
    long sum = depth;
    whyperf_begin(&level);
    if (depth < 1000)
        sum += descend(depth + 1);
    else
        for (int i = 0; i < 250; i++)
            whyperf_add(&cells, i);
    whyperf_end(&level);
    return sum;
}

int main(void)
{
    printf("deep_counter: sum %ld\n", descend(1));
    return 0;
}
