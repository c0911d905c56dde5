/* A thread looks for work every now and then, and rests in between by a system call of its own, of which no event tells: only its stack says
 * where. A quarter of the time it rests elsewhere.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls resting_unseen.c -o resting_unseen
 * run: resting_unseen [seconds]
 * hypothesis: BlockedElsewhere
 * function: rest_long
 * object: /SyncObject/Futex
 * shows: BlockedElsewhere
 * refutes: WaitingForProcessors, PollingWhileOthersWait, OtherPrograms, Paging, CPUbound
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))

static unsigned word;

OWN_NAME static long rest_long(void)
{
    struct timespec length = {0, 30000000};
    return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &length, NULL, 0);
}

OWN_NAME static long rest_short(void)
{
    struct timespec length = {0, 10000000};
    return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &length, NULL, 0);
}

int main(int argc, char **argv)
{
    double end = seconds_of(CLOCK_MONOTONIC) + (argc > 1 ? atof(argv[1]) : 6.0);
    int rests = 0;
    for (; seconds_of(CLOCK_MONOTONIC) < end; rests++)
        if (rest_long() == 0 || rest_short() == 0)
            abort();
    printf("resting_unseen: %s\n", rests > 0 ? "awake" : "never");
    return 0;
}
