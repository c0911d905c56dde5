/* Regions of two groups, and one of none.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -I<include> groups.c -o groups
 * run: groups
 * expect: its line; 100 visits of "load" (group "io"), 300 of "solve" (group "work") and 50 of "plain", as far as their groups are measured
 */
#include "whyperf.h"

#include <stdio.h>

static whyperf_region load = WHYPERF_REGION_OF("io", "load");

int main(void)
{
    long sum = 0;
    for (int i = 0; i < 100; i++) {
        whyperf_begin(&load);
        sum += i;
        whyperf_end(&load);
        for (int j = 0; j < 3; j++) {
            WHYPERF_SCOPE_OF("work", "solve");
            sum += j;
        }
        if (i % 2 == 0) {
            WHYPERF_SCOPE("plain");
            sum++;
        }
    }
    printf("groups: sum %ld\n", sum);
    return 0;
}
