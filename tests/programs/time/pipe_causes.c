/* Processes that know because of whom they wait at a pipe.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls pipe_causes.c -o pipe_causes
 * run: pipe_causes producer|asleep|writer|consumer|pipeline [seconds]
 * producer: a child computes for long, in `work`, before each record that the first process reads
 * asleep:   the same, and sleeps
 * writer:   the same, and writes a file
 * consumer: the first process writes records that fill the pipe, and a child computes for long after each
 * pipeline: a child computes for long before each record; a second one hands records on to the first process
 * On standard error, who did what while the first process waited, as a part of all that it waited at its pipe:
 *   planted: process PID computing|io|blocked SHARE
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../seconds.h"

enum { RECORD = 1 << 16 };

static const char *pattern;
static char record[RECORD];

static int is(const char *name)
{
    return !strcmp(pattern, name);
}

__attribute__((noipa)) static void work(double seconds)
{
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    volatile double x = 1;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 0; i < 1000; i++)
            x = x * 1.0000001 + 1e-9;
}

static void save(double seconds)
{
    static int file = -1;
    char name[] = "/tmp/pipe_causes.XXXXXX";
    if (file < 0) {
        file = mkstemp(name);
        unlink(name);
    }
    double end = seconds_of(CLOCK_MONOTONIC) + seconds;
    do
        if (pwrite(file, record, sizeof record, 0) < 0)
            abort();
    while (seconds_of(CLOCK_MONOTONIC) < end);
}

static void be_slow(void)
{
    if (is("writer"))
        save(0.060);
    else if (is("asleep"))
        usleep(60000);
    else
        work(0.060);
}

/* Reads a record whole; 0 at the end of the pipe. */
static int take(int end)
{
    ssize_t got = 0, part = 1;
    while (got < RECORD && (part = read(end, record + got, RECORD - got)) > 0)
        got += part;
    return got == RECORD;
}

static int put(int end)
{
    return write(end, record, RECORD) == RECORD;
}

/* Starts a child that has one end of a new pipe and, where there is an input, that; answers the other end. */
static int start(void (*child)(int input, int output), int input, int reads, pid_t *pid)
{
    int ends[2];
    if (pipe(ends) != 0)
        exit(2);
    *pid = fork();
    if (*pid == 0) {
        close(ends[reads ? 1 : 0]);
        child(reads ? ends[0] : input, ends[1]);
        exit(0);
    }
    close(ends[reads ? 0 : 1]);
    if (input >= 0)
        close(input);
    return ends[reads ? 1 : 0];
}

static void produce(int input, int output)
{
    (void)input;
    do
        be_slow();
    while (put(output));
}

static void consume(int input, int output)
{
    (void)output;
    while (take(input))
        be_slow();
}

static void hand_on(int input, int output)
{
    while (take(input) && put(output))
        ;
}

int main(int argc, char **argv)
{
    pattern = argc > 1 ? argv[1] : "producer";
    double waited = 0, deadline = seconds_of(CLOCK_MONOTONIC) + (argc > 2 ? atof(argv[2]) : 3);
    pid_t slow = 0, second = 0;
    signal(SIGPIPE, SIG_IGN);
    int end = start(is("consumer") ? consume : produce, -1, is("consumer"), &slow);
    if (is("pipeline"))
        end = start(hand_on, end, 0, &second);
    while (seconds_of(CLOCK_MONOTONIC) < deadline) {
        double begin = seconds_of(CLOCK_MONOTONIC);
        if (is("consumer") ? !put(end) : !take(end))
            return 2;
        waited += seconds_of(CLOCK_MONOTONIC) - begin;
        work(0.005);
    }
    close(end);
    while (wait(NULL) > 0)
        ;
    const char *did = is("writer") ? "io" : is("asleep") ? "blocked" : "computing";
    fprintf(stderr, "planted: process %d %s %.3f\n", (int)slow, did, 1.0);
    printf("waited %.3f\n", waited);
    return 0;
}
