/* Waits for what is submitted to a ring of the kernel, as liburing does it, and counts by a clock for how long. The library is the one in
 * `liburing.c`: whether this kernel lets programs have a ring does not matter.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -shared -fPIC -Wl,-soname,liburing.so.2 liburing.c -o liburing.so.2
 *        cc -g -O2 -fno-optimize-sibling-calls rings.c -o rings -Wl,-rpath,'$ORIGIN' liburing.so.2
 * run: rings [turns]
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

int __io_uring_get_cqe(void *ring, void **entry, unsigned submit, unsigned number, void *mask);
int io_uring_submit_and_wait(void *ring, unsigned number);

__attribute__((noipa)) static double completes(void *ring)
{
    void *entry = NULL;
    double begin = seconds_of(CLOCK_MONOTONIC);
    if (__io_uring_get_cqe(ring, &entry, 0, 1, NULL) != 0 || entry != ring)
        abort();
    return seconds_of(CLOCK_MONOTONIC) - begin;
}

__attribute__((noipa)) static double submits(void *ring)
{
    double begin = seconds_of(CLOCK_MONOTONIC);
    if (io_uring_submit_and_wait(ring, 3) != 3)
        abort();
    return seconds_of(CLOCK_MONOTONIC) - begin;
}

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : 60, ring = 0;
    double completed = 0, submitted = 0;
    for (int turn = 0; turn < turns; turn++) {
        completed += completes(&ring);
        submitted += submits(&ring);
    }
    printf("__io_uring_get_cqe %.6f\nio_uring_submit_and_wait %.6f\n", completed, submitted);
    return 0;
}
