/* A thread looks for work every now and then, and sleeps in between: it neither computes nor waits for anybody.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls sleeping.c -o sleeping
 * run: sleeping [seconds]
 * hypothesis: BlockedElsewhere
 * function: none
 * object: /SyncObject/Sleep
 * shows: BlockedElsewhere
 * refutes: WaitingForProcessors, PollingWhileOthersWait, OtherPrograms, Paging, CPUbound
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))

OWN_NAME static void rest(void)
{
    usleep(20000);
}

int main(int argc, char **argv)
{
    double end = seconds_of(CLOCK_MONOTONIC) + (argc > 1 ? atof(argv[1]) : 6.0);
    int looks = 0;
    for (; seconds_of(CLOCK_MONOTONIC) < end; looks++)
        rest();
    printf("sleeping: %s\n", looks > 0 ? "awake" : "never");
    return 0;
}
