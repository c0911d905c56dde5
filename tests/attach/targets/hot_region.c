/* Waits until visits of its region are recorded, and then tells how many of so many more were. */
#include "whyperf.h"

#include <stdio.h>
#include <time.h>

static whyperf_region hot = WHYPERF_REGION("hot");

int main(void)
{
    const long more = (1 << 20) + 1000;
    const struct timespec moment = {.tv_nsec = 1000000};
    puts("ready");
    fflush(stdout);
    while (!whyperf_begin(&hot))
        nanosleep(&moment, NULL);
    whyperf_end(&hot);
    long recorded = 0;
    for (long visit = 0; visit < more; visit++) {
        recorded += whyperf_begin(&hot);
        whyperf_end(&hot);
        for (volatile int step = 0; step < 200; step++) {
        }
    }
    printf("%ld of %ld\n", recorded, more);
    return 0;
}
