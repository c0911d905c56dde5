/* Threads that know because of whom they wait for locks: each keeps a trace of what it did and held, and the main thread goes through all of them
 * at the end.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -pthread lock_holders.c -o lock_holders
 * run: lock_holders long|sleeper|writer|chain|equal [seconds]
 * long:    thread 1 computes for long while it holds the lock, in `hold_long`
 * sleeper: thread 1 sleeps while it holds the lock
 * writer:  thread 1 writes a file while it holds the lock
 * chain:   thread 1 holds the lock and waits for a second one, which thread 2 holds and sleeps
 * equal:   all hold it for as long, and compute
 * While a thread waits for a lock, what its holder does is the cause; if that one waits for a lock, too, what the holder of that one does. On standard
 * error, for each thread that others waited for, with what it did and its part of all waiting:
 *   planted: thread N computing|io|blocked SHARE
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../seconds.h"

enum did { COMPUTED, WROTE, SLEPT, WAITED, KINDS };
static const char *const names[WAITED] = {"computing", "io", "blocked"};

enum { THREADS = 4, LOCKS = 2, MOST = 1 << 16 };

/* What a thread did or held, from when to when; of a wait, for which lock. */
struct stretch {
    double begin, end;
    int what, lock;
};

struct trace {
    struct stretch all[MOST];
    int known;
};

struct thread {
    pthread_t id;
    int number;
    struct trace did, held;
    double caused[WAITED];
};

static struct thread threads[THREADS + 1];
static pthread_mutex_t locks[LOCKS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static sem_t has_begun;
static const char *pattern;
static double deadline;
static int file;

static double now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

static void keep(struct trace *trace, double begin, int what, int lock)
{
    if (trace->known < MOST)
        trace->all[trace->known++] = (struct stretch){begin, now(), what, lock};
}

static void compute(struct thread *self, double seconds)
{
    double begin = now(), end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    volatile double x = 1;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 0; i < 1000; i++)
            x = x * 1.0000001 + 1e-9;
    keep(&self->did, begin, COMPUTED, 0);
}

static void rest(struct thread *self, double seconds)
{
    double begin = now();
    usleep((useconds_t)(1e6 * seconds));
    keep(&self->did, begin, SLEPT, 0);
}

static void save(struct thread *self, double seconds)
{
    static char block[1 << 20];
    double begin = now();
    do
        if (pwrite(file, block, sizeof block, 0) < 0)
            abort();
    while (now() < begin + seconds);
    keep(&self->did, begin, WROTE, 0);
}

static inline __attribute__((always_inline)) double take(struct thread *self, int lock)
{
    double begin = now();
    pthread_mutex_lock(&locks[lock]);
    keep(&self->did, begin, WAITED, lock);
    return now();
}

static inline __attribute__((always_inline)) void give_back(struct thread *self, int lock, double since)
{
    keep(&self->held, since, 0, lock);
    pthread_mutex_unlock(&locks[lock]);
}

__attribute__((noipa)) static void hold_short(struct thread *self, double seconds)
{
    double since = take(self, 0);
    compute(self, seconds);
    give_back(self, 0, since);
}

__attribute__((noipa)) static void hold_long(struct thread *self)
{
    double since = take(self, 0);
    if (!strcmp(pattern, "long"))
        compute(self, 0.020);
    else if (!strcmp(pattern, "sleeper"))
        rest(self, 0.030);
    else
        save(self, 0.030);
    give_back(self, 0, since);
}

__attribute__((noipa)) static void hold_both(struct thread *self)
{
    double first = take(self, 0), second = take(self, 1);
    give_back(self, 1, second);
    give_back(self, 0, first);
}

__attribute__((noipa)) static void hold_second(struct thread *self)
{
    double since = take(self, 1);
    rest(self, 0.030);
    give_back(self, 1, since);
}

static void turn(struct thread *self)
{
    if (!strcmp(pattern, "equal")) {
        hold_short(self, 0.002);
        rest(self, 0.0005);
    } else if (!strcmp(pattern, "chain") && self->number <= 2) {
        self->number == 1 ? hold_both(self) : hold_second(self);
        rest(self, 0.002);
    } else if (self->number == 1) {
        hold_long(self);
        rest(self, 0.005);
    } else {
        hold_short(self, 0.0002);
        rest(self, 0.005);
    }
}

static void *live(void *argument)
{
    struct thread *self = argument;
    rest(self, 0.001);
    sem_post(&has_begun);
    while (now() < deadline)
        turn(self);
    return NULL;
}

/* The first one of a trace that ends after a moment. */
static int first_after(const struct trace *trace, double moment)
{
    int low = 0, high = trace->known;
    while (low < high) {
        int middle = (low + high) / 2;
        if (trace->all[middle].end > moment)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double later(double one, double other)
{
    return one > other ? one : other;
}

/* Somebody waited for a lock in this time. */
static void blame(int lock, double begin, double end, int depth)
{
    for (struct thread *holder = threads + 1; holder <= threads + THREADS && depth < 4; holder++)
        for (int at = first_after(&holder->held, begin); at < holder->held.known; at++) {
            const struct stretch *held = &holder->held.all[at];
            if (held->begin >= end)
                break;
            if (held->lock != lock)
                continue;
            double from = later(held->begin, begin), to = -later(-held->end, -end);
            for (int act = first_after(&holder->did, from); act < holder->did.known; act++) {
                const struct stretch *did = &holder->did.all[act];
                double since = later(did->begin, from), until = -later(-did->end, -to);
                if (did->begin >= to)
                    break;
                if (did->what != WAITED)
                    holder->caused[did->what] += until - since;
                else if (did->lock != lock)
                    blame(did->lock, since, until, depth + 1);
            }
        }
}

int main(int argc, char **argv)
{
    char name[] = "held.XXXXXX";
    pattern = argc > 1 ? argv[1] : "long";
    deadline = now() + (argc > 2 ? atof(argv[2]) : 6.0);
    file = mkstemp(name);
    if (file < 0)
        return 1;
    unlink(name);
    sem_init(&has_begun, 0, 0);
    for (int number = 1; number <= THREADS; number++) {
        threads[number].number = number;
        if (pthread_create(&threads[number].id, NULL, live, &threads[number]) != 0)
            return 1;
        /* They are numbered in the order in which they begin. */
        sem_wait(&has_begun);
    }
    for (int number = 1; number <= THREADS; number++)
        pthread_join(threads[number].id, NULL);
    double waited = 0;
    for (int number = 1; number <= THREADS; number++)
        for (int at = 0; at < threads[number].did.known; at++) {
            const struct stretch *one = &threads[number].did.all[at];
            if (one->what != WAITED)
                continue;
            waited += one->end - one->begin;
            blame(one->lock, one->begin, one->end, 0);
        }
    for (int number = 1; number <= THREADS; number++)
        for (int did = 0; did < WAITED; did++)
            if (threads[number].caused[did] > 0.01 * waited)
                fprintf(stderr, "planted: thread %d %s %.4f\n", number, names[did], threads[number].caused[did] / waited);
    return 0;
}
