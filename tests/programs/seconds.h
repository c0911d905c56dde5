/* What a clock shows, in seconds. */
#ifndef SECONDS_H
#define SECONDS_H

#include <time.h>

static inline double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
