/* Writes a little again and again, and finds out by itself how much longer a call takes for being measured: it pauses the measurement and lets it
 * go on in turns, and times blocks of calls.
 *
 * build: cc -g -O2 -I include known_calls.c -o known_calls -ldl
 * run: known_calls
 * prints: nanoseconds that a call takes more, and how many were measured
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <whyperf.h>

#include "../seconds.h"

enum { CALLS = 20000, PAIRS = 150 };

/* Seconds of a block of calls, on this thread's clock: what others do beside it does not count. */
static double block(int file)
{
    static const char piece[64];
    double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < CALLS; i++)
        if (write(file, piece, sizeof piece) != sizeof piece)
            return -1;
    return seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin;
}

int main(void)
{
    double more = 0;
    int file = open("/dev/null", O_WRONLY);
    block(file);
    for (int pair = 0; pair < PAIRS; pair++) {
        double on = block(file);
        whyperf_pause();
        more += on - block(file);
        whyperf_resume();
    }
    printf("%.3f %d\n", 1e9 * more / PAIRS / CALLS, (1 + PAIRS) * CALLS);
    return 0;
}
