/* Nested calls around bodies of different kinds, each timed by the program itself with its functions off and on:
 * what measuring adds must be what is calibrated and taken off again.
 *
 * build: as calls.c
 * run: overhead
 * expect: each visit of a function that is on is counted, none of one that is off, and the calibrated prices are in order. It says what
 * measuring added and what is taken off, which a benchmark shows: others beside it spoil both
 */
#include "daemon.h"

#define FAR __attribute__((noinline, noclone))

static volatile double sink;
static double table[1 << 16];

/* Nothing at all. */
FAR double empty(double x)
{
    __asm__ volatile("" : "+x"(x));
    return x;
}
/* Each step waits for the one before. */
FAR double chained(double x)
{
    for (int i = 0; i < 12; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    return x;
}
/* Steps that wait for nothing. */
FAR double parallel(double x)
{
    double a = x, b = x + 1, c = x + 2, d = x + 3;
    for (int i = 0; i < 24; i++) {
        a = a * 0.5 + 1;
        b = b * 0.25 + 1;
        c = c * 0.125 + 1;
        d = d * 0.75 + 1;
    }
    return a + b + c + d;
}
/* Loads from the second cache. */
FAR double loading(double x)
{
    unsigned at = (unsigned)(long)x * 2654435761u;
    for (int i = 0; i < 16; i++) {
        at = at * 1664525u + 1013904223u;
        x += table[at >> 16];
    }
    return x - (double)(long)x;
}
/* Branches. */
FAR double branching(double x)
{
    unsigned at = (unsigned)(long)(x * 1000) + 7;
    for (int i = 0; i < 20; i++)
        at = at & 1 ? at * 3 + 1 : at >> 1;
    return (double)(at & 1023);
}

typedef double body(double);
static body *const bodies[] = { empty, chained, parallel, loading, branching };
static const char *const names[] = { "empty", "chained", "parallel", "loading", "branching" };
enum { BODIES = 5, CALLS = 200, ROUNDS = 60, TRIES = 15 };

#define AROUND(name, inner)                                                                        \
    FAR double name(double x)                                                                      \
    {                                                                                              \
        for (int i = 0; i < CALLS; i++)                                                            \
            x = inner(x);                                                                          \
        return x + 1;                                                                              \
    }
AROUND(around_empty, empty)
AROUND(around_chained, chained)
AROUND(around_parallel, parallel)
AROUND(around_loading, loading)
AROUND(around_branching, branching)
static body *const arounds[] = { around_empty, around_chained, around_parallel, around_loading, around_branching };

static int regions[32];

PLAIN uint64_t run_once(body *around)
{
    uint64_t began = __builtin_ia32_rdtsc();
    double x = 1;
    for (int i = 0; i < ROUNDS; i++)
        x = around(x);
    sink = x;
    return __builtin_ia32_rdtsc() - began;
}

PLAIN int compare(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

static double most, inside, least;

/* What is taken off a visit of so many ticks: docs/patching.md. */
PLAIN double price(double own)
{
    double body = own - 1.25 * inside, taken = body > 0 ? most - 2 * body : most;
    return taken > least ? taken : least;
}

/* On and off in turn; the lower quartile of each, because interruptions only add. Says what is taken off and what is added. */
PLAIN void take_off(int number)
{
    uint64_t off[TRIES], on[TRIES];
    double own = 1e9;
    int inner = region_of((void *)bodies[number], regions), outer = region_of((void *)arounds[number], regions);
    for (int i = 0; i < TRIES; i++) {
        ask(SWITCH_OFF, (uint64_t)inner, 0, 0, SWITCHED_OFF);
        ask(SWITCH_OFF, (uint64_t)outer, 0, 0, SWITCHED_OFF);
        uint64_t unseen = visits_of(inner, NULL);
        run_once(arounds[number]);
        off[i] = run_once(arounds[number]);
        if (visits_of(inner, NULL) != unseen)
            fail("a function that is off was counted");
        ask(SWITCH_ON, (uint64_t)inner, 0, 0, SWITCHED_ON);
        ask(SWITCH_ON, (uint64_t)outer, 0, 0, SWITCHED_ON);
        run_once(arounds[number]);
        uint64_t before, after, visits = visits_of(inner, &before);
        on[i] = run_once(arounds[number]);
        visits = visits_of(inner, &after) - visits;
        if (visits != (uint64_t)ROUNDS * CALLS)
            fail("a visit was not counted");
        double each = (double)(after - before) / (double)visits;
        own = each < own ? each : own;
    }
    qsort(off, TRIES, sizeof *off, compare);
    qsort(on, TRIES, sizeof *on, compare);
    double calls = (double)ROUNDS * (CALLS + 1), body = (double)off[TRIES / 4] / calls;
    double added = ((double)on[TRIES / 4] - (double)off[TRIES / 4]) / calls, taken = price(own);
    fprintf(stderr, "%-10s %6.1f ticks a call, %5.1f added, %5.1f taken off (%.1f of its own)\n", names[number], body,
            added, taken, own);
}

int main(void)
{
    if (play_daemon()) {
        arm(0, function_count(), regions);
        ask(BUDGET, 0, 0, 0, 0);
        const uint32_t *calibrated = (uint32_t *)(base + SLOTS + HEAD_FUNCTION);
        inside = calibrated[0] / 256.0;
        most = inside + calibrated[1] / 256.0;
        least = calibrated[3] / 256.0;
        fprintf(stderr, "calibrated: %.1f at most, %.1f of it inside, %.1f at least\n", most, inside, least);
        if (inside <= 0 || most < inside || most < least || least <= 0)
            fail("the calibrated prices are out of order");
        for (int at = 0; at < BODIES; at++)
            take_off(at);
    }
    return 0;
}
