/* A counter that is added to and taken from, and a gauge that is set.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -I<include> counter.c -o counter
 * run: counter
 * expect: its line, which says what both came to; the report says the same
 */
#include "whyperf.h"

#include <stdio.h>

static whyperf_region solve = WHYPERF_REGION("solve");
static whyperf_counter cells = WHYPERF_COUNTER("cells");
static whyperf_counter level = WHYPERF_COUNTER("level [m]");

int main(void)
{
    long sum = 0, least = 0, most = 0;
    double values = 0, squares = 0;
    for (long i = 0; i < 1000; i++) {
        long added = i % 7 - 2, value = 3 - i * i % 101;
        whyperf_begin(&solve);
        whyperf_add(&cells, added);
        whyperf_end(&solve);
        whyperf_set(&level, value);
        sum += added;
        least = i == 0 || value < least ? value : least;
        most = i == 0 || value > most ? value : most;
        values += (double)value;
        squares += (double)value * (double)value;
    }
    double mean = values / 1000;
    printf("counter: 1000 sum %ld; 1000 least %ld most %ld mean %.6f variance %.6f\n", sum, least, most, mean,
           squares / 1000 - mean * mean);
    return 0;
}
