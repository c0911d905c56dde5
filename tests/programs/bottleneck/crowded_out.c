/* One thread computes while other programs, four for each processor, do so, too. They are this program again, started without its
 * environment, so that nothing measures them.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls crowded_out.c -o crowded_out
 * run: crowded_out [seconds]
 * hypothesis: WaitingForProcessors
 * function: none
 * object: none
 * shows: WaitingForProcessors, OtherPrograms, CPUbound
 * refutes: TooManyThreads, ExcessiveSyncWaitingTime
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compute_until.h"

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 6.0;
    double end = seconds_of(CLOCK_MONOTONIC) + length;
    if (argc > 2) {
        /* A program that the other starts: it ends with it, whatever happens. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        return compute(end) < 0.0;
    }
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 1;
    for (int i = 0; i < 4 * CPU_COUNT(&allowed); i++)
        if (fork() == 0) {
            char *none[] = {NULL};
            execle("/proc/self/exe", argv[0], argc > 1 ? argv[1] : "6", "other", NULL, none);
            _exit(127);
        }
    double largest = compute(end);
    while (wait(NULL) > 0)
        continue;
    printf("crowded_out: %.4f\n", largest);
    return 0;
}
