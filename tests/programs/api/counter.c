/* Counters: one that is added to and one that is set.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -I<include> counter.c -o counter
 * run: counter
 * expect: its line; "cells" is 499500 at the end, "level" is 999
 */
#include "whyperf.h"

#include <stdio.h>

static whyperf_counter cells = WHYPERF_COUNTER("cells");
static whyperf_counter level = WHYPERF_COUNTER("level");

int main(void)
{
    long sum = 0;
    for (int i = 0; i < 1000; i++) {
        whyperf_add(&cells, i);
        whyperf_set(&level, i);
        sum += i;
    }
    printf("counter: sum %ld\n", sum);
    return 0;
}
