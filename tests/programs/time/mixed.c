/* Threads that compute, sleep, poll, wait for pipes, children and locks, and read and write files, in turns that a seed decides. Each
 * thread counts by clocks of its own how long it did what, and the program says it at the end, as shares of the lives of all threads.
 *
 * build: cc -O2 -pthread mixed.c -o mixed
 * run: mixed seed seconds threads
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../seconds.h"
#include "delayed.h"

enum { COMPUTING, WAITING, IO, PROCESSOR, BLOCKED, IDLE, USES };
static const char *const NAMES[USES] = {"computing", "waiting", "io", "processor", "blocked", "idle"};
enum { COMPUTE, SLEEP, POLL, PIPE, LOCK, FILES, CHILD, KINDS };

/* What a thread's clocks say: time, for how long it ran, and for how long it could run and had no processor. */
struct clocks {
    double now, ran, waited;
};

struct thread {
    pthread_t id;
    unsigned seed;
    int weights[KINDS];
    double spent[USES];
    double lived;
    /* Of the turn that goes on, what was in calls. */
    struct clocks in_calls;
};

static double length;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile double sink;

static unsigned next(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

static double now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

__attribute__((noipa, noinline)) static void compute(double seconds)
{
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds, x = 0.5;
    do {
        for (int i = 0; i < 20000; i++)
            x = x * 0.999 + 1.0 / (1.0 + x * x);
    } while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end);
    sink = x;
}

static struct clocks clocks(void)
{
    struct clocks all = {now(), seconds_of(CLOCK_THREAD_CPUTIME_ID), delayed()};
    return all;
}

/* A call that waits is over, which began at `begin`: all of it is that call's. */
static void waited(struct thread *self, int use, struct clocks begin)
{
    struct clocks end = clocks();
    self->spent[use] += end.now - begin.now;
    self->in_calls.now += end.now - begin.now;
    self->in_calls.ran += end.ran - begin.ran;
    self->in_calls.waited += end.waited - begin.waited;
}

static void sleeps(struct thread *self, double seconds)
{
    struct clocks begin = clocks();
    usleep((useconds_t)(1e6 * seconds));
    waited(self, BLOCKED, begin);
}

static void polls(struct thread *self, struct pollfd *wait, int limit)
{
    struct clocks begin = clocks();
    poll(wait, wait != NULL, limit);
    waited(self, BLOCKED, begin);
}

static void collects(struct thread *self, pid_t child)
{
    struct clocks begin = clocks();
    waitpid(child, NULL, 0);
    waited(self, IDLE, begin);
}

static void pipes(struct thread *self, double seconds)
{
    int ends[2];
    char byte;
    if (pipe(ends) != 0)
        abort();
    pid_t child = fork();
    if (child == 0) {
        usleep((useconds_t)(1e6 * seconds));
        _exit(write(ends[1], "x", 1) != 1);
    }
    close(ends[1]);
    struct pollfd wait = {.fd = ends[0], .events = POLLIN};
    polls(self, &wait, -1);
    if (read(ends[0], &byte, 1) != 1)
        abort();
    close(ends[0]);
    collects(self, child);
}

static void files(struct thread *self, double seconds)
{
    static __thread char block[1 << 16];
    struct clocks begin = clocks();
    char name[] = "/tmp/whyperf-mixed-XXXXXX";
    int file = mkstemp(name);
    unlink(name);
    double end = now() + seconds;
    do {
        for (int i = 0; i < 16; i++)
            if (pwrite(file, block, sizeof block, (off_t)i * (off_t)sizeof block) < 0)
                abort();
    } while (now() < end);
    close(file);
    waited(self, IO, begin);
}

static void children(struct thread *self, double seconds)
{
    pid_t child = fork();
    if (child == 0) {
        usleep((useconds_t)(1e6 * seconds));
        _exit(0);
    }
    collects(self, child);
}

static void locks(struct thread *self, double seconds)
{
    struct clocks begin = clocks();
    pthread_mutex_lock(&lock);
    waited(self, WAITING, begin);
    compute(seconds);
    pthread_mutex_unlock(&lock);
}

/* One turn: outside of calls that wait it computes, waits for a processor, or is blocked. Who wakes up and has no processor yet is still in the
 * call. */
static void turn(struct thread *self, int kind, double seconds)
{
    struct clocks begin = clocks();
    self->in_calls = (struct clocks){0, 0, 0};
    switch (kind) {
    case COMPUTE: compute(seconds); break;
    case SLEEP: sleeps(self, seconds); break;
    case POLL: polls(self, NULL, (int)(1e3 * seconds)); break;
    case PIPE: pipes(self, seconds); break;
    case LOCK: locks(self, seconds); break;
    case FILES: files(self, seconds); break;
    default: children(self, seconds); break;
    }
    struct clocks end = clocks();
    double ran = end.ran - begin.ran - self->in_calls.ran, delay = end.waited - begin.waited - self->in_calls.waited;
    double rest = end.now - begin.now - self->in_calls.now - ran - delay;
    self->spent[COMPUTING] += ran;
    self->spent[PROCESSOR] += delay;
    self->spent[BLOCKED] += rest > 0 ? rest : 0;
}

static void *live(void *argument)
{
    struct thread *self = argument;
    double begin = now();
    while (now() < begin + length)
        for (int kind = 0; kind < KINDS; kind++)
            if (self->weights[kind] > 0)
                turn(self, kind, 1e-3 * (double)(self->weights[kind] * (1 + (int)next(&self->seed, 3))));
    self->lived = now() - begin;
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    length = argc > 2 ? atof(argv[2]) : 3.0;
    int count = argc > 3 ? atoi(argv[3]) : 1;
    if (count < 1 || count > 64)
        return 2;
    struct thread *all = calloc((size_t)count, sizeof *all);
    unsigned dice = seed * 2654435761u + 12345u;
    for (int i = 0; i < count; i++) {
        all[i].seed = dice + (unsigned)i;
        all[i].weights[COMPUTE] = 1 + (int)next(&dice, 20);
        for (int kind = SLEEP; kind < KINDS; kind++)
            /* Children are forked: many threads that do so would wait for each other in the kernel. */
            if (next(&dice, 3) == 0 && (kind != CHILD && kind != PIPE ? 1 : count == 1))
                all[i].weights[kind] = 1 + (int)next(&dice, 20);
    }
    for (int i = 1; i < count; i++)
        if (pthread_create(&all[i].id, NULL, live, &all[i]) != 0)
            return 3;
    live(&all[0]);
    double begin = now();
    for (int i = 1; i < count; i++)
        pthread_join(all[i].id, NULL);
    all[0].spent[IDLE] += now() - begin;
    all[0].lived += now() - begin;
    double lived = 0;
    for (int i = 0; i < count; i++)
        lived += all[i].lived;
    printf("process %d\n", (int)getpid());
    for (int use = 0; use < USES; use++) {
        double sum = 0;
        for (int i = 0; i < count; i++)
            sum += all[i].spent[use];
        printf("%s %.4f\n", NAMES[use], sum / lived);
    }
    return 0;
}
