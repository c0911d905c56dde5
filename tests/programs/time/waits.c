/* Waits in turn for time, a descriptor, a socket and a child, each in a function of its own, and counts by a clock for how long.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls waits.c -o waits
 * run: waits [turns]
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))

enum { NAP = 15000 };

/* A child that has slept for a while says so. */
static pid_t child_on(int end)
{
    pid_t child = fork();
    if (child == 0) {
        usleep(NAP);
        _exit(end >= 0 && send(end, "x", 1, 0) != 1);
    }
    return child;
}

static double now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

OWN_NAME static double rest(void)
{
    double begin = now();
    usleep(NAP);
    return now() - begin;
}

OWN_NAME static double watch(int end)
{
    struct pollfd wait = {.fd = end, .events = POLLIN};
    double begin = now();
    poll(&wait, 1, -1);
    return now() - begin;
}

OWN_NAME static double hear(int end)
{
    char byte;
    double begin = now();
    if (recv(end, &byte, 1, 0) != 1)
        abort();
    return now() - begin;
}

OWN_NAME static double collect(pid_t child)
{
    double begin = now();
    waitpid(child, NULL, 0);
    return now() - begin;
}

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : 60, pair[2];
    double rested = 0, watched = 0, heard = 0, collected = 0;
    char byte;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return 2;
    for (int turn = 0; turn < turns; turn++) {
        rested += rest();
        pid_t child = child_on(pair[1]);
        watched += watch(pair[0]);
        if (read(pair[0], &byte, 1) != 1)
            return 3;
        collected += collect(child);
        child = child_on(pair[1]);
        heard += hear(pair[0]);
        collected += collect(child);
        collected += collect(child_on(-1));
    }
    printf("usleep %.6f\npoll %.6f\nrecv %.6f\nwaitpid %.6f\n", rested, watched, heard, collected);
    return 0;
}
