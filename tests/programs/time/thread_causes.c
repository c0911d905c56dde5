/* Threads that know because of whom they wait at a barrier, a condition or a semaphore.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -pthread thread_causes.c -o thread_causes
 * run: thread_causes late|asleep|writer|producer|permits [seconds]
 * late:     thread 1 computes for longer than the others before it comes to the barrier
 * asleep:   the same, and sleeps
 * writer:   the same, and writes a file
 * producer: thread 1 sleeps and then fills a queue, with a condition that the others wait for
 * permits:  thread 1 computes and then posts a semaphore that the others wait at
 * In each round the others wait from when they come until thread 1 comes. On standard error, what they waited for it, as a part of all waiting:
 *   planted: thread 1 computing|io|blocked SHARE
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

enum { THREADS = 4 };

struct thread {
    pthread_t id;
    int number;
    double waited;
};

static struct thread threads[THREADS + 1];
static pthread_barrier_t meeting;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static sem_t permits, has_begun;
static int items, file, is_over;
static const char *pattern;
static double deadline;

static int is(const char *name)
{
    return !strcmp(pattern, name);
}

static void compute(double seconds)
{
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    volatile double x = 1;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 0; i < 1000; i++)
            x = x * 1.0000001 + 1e-9;
}

static void save(double seconds)
{
    static char block[1 << 20];
    double end = seconds_of(CLOCK_MONOTONIC) + seconds;
    do
        if (pwrite(file, block, sizeof block, 0) < 0)
            abort();
    while (seconds_of(CLOCK_MONOTONIC) < end);
}

static void be_late(void)
{
    if (is("writer"))
        save(0.060);
    else if (is("asleep") || is("producer"))
        usleep(60000);
    else
        compute(0.060);
}

static void meet(struct thread *self)
{
    double begin = seconds_of(CLOCK_MONOTONIC);
    pthread_barrier_wait(&meeting);
    self->waited += seconds_of(CLOCK_MONOTONIC) - begin;
}

static void *rounds(void *of)
{
    struct thread *self = of;
    sem_post(&has_begun);
    while (!is_over) {
        if (self->number == 1)
            be_late();
        else
            compute(0.001);
        meet(self);
        if (self->number == 1)
            is_over = seconds_of(CLOCK_MONOTONIC) > deadline;
        meet(self);
    }
    return NULL;
}

static int take(struct thread *self)
{
    double begin = seconds_of(CLOCK_MONOTONIC);
    int got = 0;
    if (is("permits")) {
        sem_wait(&permits);
        got = !is_over;
    } else {
        pthread_mutex_lock(&queue_lock);
        while (!items && !is_over)
            pthread_cond_wait(&filled, &queue_lock);
        got = items > 0;
        items -= got;
        pthread_mutex_unlock(&queue_lock);
    }
    self->waited += seconds_of(CLOCK_MONOTONIC) - begin;
    return got;
}

static void put(void)
{
    if (is("permits")) {
        for (int i = 1; i < THREADS; i++)
            sem_post(&permits);
        return;
    }
    pthread_mutex_lock(&queue_lock);
    items += THREADS - 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&queue_lock);
}

static void *hand_over(void *of)
{
    struct thread *self = of;
    sem_post(&has_begun);
    if (self->number != 1) {
        while (take(self))
            compute(0.002);
        return NULL;
    }
    while (!is_over) {
        be_late();
        is_over = seconds_of(CLOCK_MONOTONIC) > deadline;
        put();
    }
    return NULL;
}

int main(int count, char **words)
{
    char name[] = "thread_causes.XXXXXX";
    pattern = count > 1 ? words[1] : "late";
    deadline = seconds_of(CLOCK_MONOTONIC) + (count > 2 ? atof(words[2]) : 6.0);
    file = mkstemp(name);
    unlink(name);
    sem_init(&permits, 0, 0);
    sem_init(&has_begun, 0, 0);
    pthread_barrier_init(&meeting, NULL, THREADS);
    void *(*does)(void *) = is("producer") || is("permits") ? hand_over : rounds;
    for (int i = 1; i <= THREADS; i++) {
        threads[i].number = i;
        if (pthread_create(&threads[i].id, NULL, does, &threads[i]))
            return 1;
        /* So that the threads are numbered by whoever watches as they are here. */
        sem_wait(&has_begun);
    }
    double others = 0;
    for (int i = 1; i <= THREADS; i++) {
        pthread_join(threads[i].id, NULL);
        if (i != 1)
            others += threads[i].waited;
    }
    const char *did = is("writer") ? "io" : is("asleep") || is("producer") ? "blocked" : "computing";
    fprintf(stderr, "planted: thread 1 %s %.3f\n", did, others / (others + threads[1].waited));
    return 0;
}
