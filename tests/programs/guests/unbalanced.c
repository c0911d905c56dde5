/* A program whose regions do not match: ends without a begin, the wrong end, and regions never ended.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -I<include> unbalanced.c -o unbalanced
 * run: unbalanced
 * expect: its line; 200 ends without a begin and 100 ends that close another region are counted as anomalies
 */
#include "whyperf.h"

#include <stdio.h>

static whyperf_region first = WHYPERF_REGION("first");
static whyperf_region second = WHYPERF_REGION("second");
static whyperf_region never = WHYPERF_REGION("never");

int main(void)
{
    for (int round = 0; round < 100; round++) {
        whyperf_end(&first); /* nothing is open */
        whyperf_begin(&first);
        whyperf_begin(&second);
        whyperf_end(&first);  /* closes the second as well */
        whyperf_end(&second); /* no longer open */
    }
    for (int round = 0; round < 1000; round++)
        whyperf_begin(&never);
    printf("unbalanced: done\n");
    return 0;
}
