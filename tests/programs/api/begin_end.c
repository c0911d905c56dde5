/* Begin and end of a region, nested and recursive; its numbers are the same with and without the library.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -I<include> begin_end.c -o begin_end
 * run: begin_end
 * expect: its line; 1000 visits of "solve", 3000 of "step" under it and 4000 of "descend", each within another
 */
#include "whyperf.h"

#include <stdio.h>

static whyperf_region solve = WHYPERF_REGION("solve");
static whyperf_region step = WHYPERF_REGION("step");
static whyperf_region deeper = WHYPERF_REGION("descend");

__attribute__((noipa)) static long descend(int depth)
{
    whyperf_begin(&deeper);
    long sum = depth > 0 ? depth + descend(depth - 1) : 0;
    whyperf_end(&deeper);
    return sum;
}

int main(void)
{
    long sum = 0;
    for (int round = 0; round < 1000; round++) {
        whyperf_begin(&solve);
        for (int i = 0; i < 3; i++) {
            whyperf_begin(&step);
            sum += i;
            whyperf_end(&step);
        }
        whyperf_end(&solve);
        sum += descend(3);
    }
    printf("begin_end: sum %ld\n", sum);
    return 0;
}
