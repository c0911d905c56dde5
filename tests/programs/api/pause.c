/* Pausing and resuming the measurement, also twice in a row and within a region.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -I<include> pause.c -o pause
 * run: pause
 * expect: its line; 200 visits of "seen", none of "unseen", nothing left open
 */
#include "whyperf.h"

#include <stdio.h>

static whyperf_region seen = WHYPERF_REGION("seen");
static whyperf_region unseen = WHYPERF_REGION("unseen");

int main(void)
{
    int sum = 0;
    for (int round = 0; round < 200; round++) {
        whyperf_begin(&seen);
        sum += round;
        whyperf_pause();
        whyperf_pause();
        whyperf_begin(&unseen);
        sum -= 1;
        whyperf_end(&unseen);
        whyperf_resume();
        whyperf_resume();
        whyperf_end(&seen);
    }
    printf("pause: sum %d\n", sum);
    return 0;
}
