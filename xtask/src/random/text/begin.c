/* How the functions of a random program in C or C++ compute, and take their own time. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noipa))
#endif
#define INLINE static inline __attribute__((always_inline))

INLINE double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

INLINE double ran(void) { return seconds(CLOCK_THREAD_CPUTIME_ID); }

static volatile double sink;

/* What a thread knows of each function: processor time with callees and without, time with callees, calls. */
static __thread struct {
    double begin, inside, alone, entered, wall;
    long calls;
    int depth;
} own[FUNCTIONS];

/* The functions that are open in a thread, and since when the innermost one computes. */
static __thread int open[128], opened;
static __thread double mark;

INLINE void enter(int f)
{
    double now = ran();
    if (opened) own[open[opened - 1]].alone += now - mark;
    mark = now;
    open[opened++] = f;
    own[f].calls++;
    if (own[f].depth++) return;
    own[f].begin = now;
    own[f].entered = seconds(CLOCK_MONOTONIC);
}

INLINE void leave(int f)
{
    double now = ran();
    own[f].alone += now - mark;
    mark = now;
    opened--;
    if (--own[f].depth) return;
    own[f].inside += now - own[f].begin;
    own[f].wall += seconds(CLOCK_MONOTONIC) - own[f].entered;
}

INLINE int depth_of(int f) { return own[f].depth; }

/* The phase that a thread is in, and when the second one began. */
static __thread int phase;
static __thread double switched;

INLINE void begin_round(long round)
{
    if (phase || round < SWITCH) return;
    phase = 1;
    switched = seconds(CLOCK_MONOTONIC);
}

/* How much later than asked for this thread woke in all, beyond what timers take: it had no processor, and that counts as sleep. */
static __thread double late;

INLINE void nap(long us)
{
    struct timespec t = {us / 1000000, us % 1000000 * 1000};
    double begin = seconds(CLOCK_MONOTONIC);
    nanosleep(&t, 0);
    double more = seconds(CLOCK_MONOTONIC) - begin - 1e-6 * (double)us - 1e-4;
    if (more > 0) late += more;
}

#define SPIN(us) \
    for (double end = ran() + (us) * 1e-6; ran() < end;) \
        for (int k = 0; k < 20000; k++) sink = sink + 0.5 * k
#define CALL_FOR(us, tiny) \
    for (double end = ran() + (us) * 1e-6; ran() < end;) \
        for (int k = 0; k < 20000; k++) r += tiny(r)

