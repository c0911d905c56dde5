/* One thread makes system calls, each of which runs in the kernel, and sleeps, in turns: its own code computes there. The program says at the
 * end, as shares of the life of its thread, what it did by clocks of its own.
 *
 * build: cc -O2 in_kernel.c -o in_kernel
 * run: in_kernel seconds
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../seconds.h"
#include "delayed.h"

static const double MOMENT = 0.02;

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 3.0, slept = 0, late = 0;
    char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double begin = seconds_of(CLOCK_MONOTONIC);
    if (page == MAP_FAILED)
        return 1;
    while (seconds_of(CLOCK_MONOTONIC) < begin + length) {
        double since = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        for (int turn = 0; seconds_of(CLOCK_THREAD_CPUTIME_ID) < since + MOMENT; turn++)
            for (int i = 0; i < 100; i++)
                if (mprotect(page, 4096, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE) != 0)
                    return 1;
        double first = seconds_of(CLOCK_MONOTONIC), before = delayed();
        usleep((useconds_t)(1e6 * MOMENT));
        slept += seconds_of(CLOCK_MONOTONIC) - first;
        late += delayed() - before;
    }
    double lived = seconds_of(CLOCK_MONOTONIC) - begin;
    printf("process %d\n", (int)getpid());
    printf("computing %.4f\nprocessor %.4f\n", seconds_of(CLOCK_THREAD_CPUTIME_ID) / lived, (delayed() - late) / lived);
    printf("blocked %.4f\n", slept / lived);
    return 0;
}
