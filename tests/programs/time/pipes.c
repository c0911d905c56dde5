/* Reads a pipe into which a child writes after a nap, again and again, and counts by a clock for how long it waited. The child calls
 * the kernel itself, so that nothing but the reading is seen.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls pipes.c -o pipes
 * run: pipes [turns] [unseen]
 * Unseen, the reader calls the kernel itself, too.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../seconds.h"

enum { NAP = 5000 };

static void writes(int end, int turns)
{
    while (turns-- > 0) {
        usleep(NAP);
        if (syscall(SYS_write, end, "x", 1) != 1)
            abort();
    }
    _exit(0);
}

__attribute__((noipa)) static double reads(int end, int turns, int is_unseen)
{
    double waited = 0;
    char byte;
    while (turns-- > 0) {
        double begin = seconds_of(CLOCK_MONOTONIC);
        if ((is_unseen ? syscall(SYS_read, end, &byte, 1) : read(end, &byte, 1)) != 1)
            abort();
        waited += seconds_of(CLOCK_MONOTONIC) - begin;
    }
    return waited;
}

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : 400, ends[2];
    if (pipe(ends) != 0)
        return 2;
    if (fork() == 0) {
        close(ends[0]);
        writes(ends[1], turns);
    }
    close(ends[1]);
    printf("read %.6f\n", reads(ends[0], turns, argc > 2));
    wait(NULL);
    return 0;
}
