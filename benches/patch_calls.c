/* What an instrumented call costs: an empty function on, off, disarmed, at several depths, against two
 * bare reads of the time stamp counter in the same loop; and what switching and arming take.
 *
 * build: as tests/programs/patch/calls.c, with -I tests/programs/patch
 * run: patch_calls ROUNDS, under the library with a run directory
 */
#include "daemon.h"

#include <x86intrin.h>

#define FAR __attribute__((noinline, noclone))
FAR void empty(void) { __asm__ volatile(""); }
FAR void nest(long depth)
{
    if (depth)
        nest(depth - 1);
    __asm__ volatile("");
}

/* Ten thousand functions to arm. */
#define ONE(name) FAR void name(void) { __asm__ volatile(""); }
#define TEN(name) ONE(name##0) ONE(name##1) ONE(name##2) ONE(name##3) ONE(name##4) \
    ONE(name##5) ONE(name##6) ONE(name##7) ONE(name##8) ONE(name##9)
#define HUNDRED(name) TEN(name##0) TEN(name##1) TEN(name##2) TEN(name##3) TEN(name##4) \
    TEN(name##5) TEN(name##6) TEN(name##7) TEN(name##8) TEN(name##9)
#define THOUSAND(name) HUNDRED(name##0) HUNDRED(name##1) HUNDRED(name##2) HUNDRED(name##3) \
    HUNDRED(name##4) HUNDRED(name##5) HUNDRED(name##6) HUNDRED(name##7) HUNDRED(name##8) \
    HUNDRED(name##9)
THOUSAND(f0) THOUSAND(f1) THOUSAND(f2) THOUSAND(f3) THOUSAND(f4)
THOUSAND(f5) THOUSAND(f6) THOUSAND(f7) THOUSAND(f8) THOUSAND(f9)

#define CALLS 2000

static int regions[16384];

PLAIN int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

PLAIN double two_reads(void)
{
    uint64_t began = __rdtsc();
    for (long i = 0; i < CALLS; i++) {
        __asm__ volatile("rdtsc" : : : "rax", "rdx");
        __asm__ volatile("rdtsc" : : : "rax", "rdx");
    }
    return (double)(__rdtsc() - began) / CALLS;
}

PLAIN double calls(void)
{
    uint64_t began = __rdtsc();
    for (long i = 0; i < CALLS; i++)
        empty();
    return (double)(__rdtsc() - began) / CALLS;
}

/* Cheapest quarter's middle of many short rounds that take turns with the floor. */
PLAIN void compare(const char *name, int rounds, double (*measure)(void))
{
    double *floors = malloc(sizeof(double) * (size_t)rounds);
    double *costs = malloc(sizeof(double) * (size_t)rounds);
    for (int i = 0; i < rounds; i++) {
        floors[i] = two_reads();
        costs[i] = measure();
    }
    qsort(floors, (size_t)rounds, sizeof(double), ascending);
    qsort(costs, (size_t)rounds, sizeof(double), ascending);
    double floor = floors[rounds / 2], cost = costs[rounds / 2];
    printf("%-34s %9.1f %9.1f %7.2f\n", name, floor, cost, cost / floor);
    free(floors);
    free(costs);
}

static int wanted_depth;
PLAIN double at_depth(void)
{
    return calls();
}

/* Calls the measured loop from inside so many instrumented calls of different functions. */
static int step, rounds_of_ladder;
FAR void descend(void);
typedef void rung(void);
#define RUNG(n) FAR void rung##n(void) { descend(); __asm__ volatile(""); }
RUNG(0) RUNG(1) RUNG(2) RUNG(3) RUNG(4) RUNG(5) RUNG(6) RUNG(7) RUNG(8) RUNG(9) RUNG(10) RUNG(11)
RUNG(12) RUNG(13) RUNG(14) RUNG(15) RUNG(16) RUNG(17) RUNG(18) RUNG(19) RUNG(20) RUNG(21) RUNG(22)
RUNG(23) RUNG(24) RUNG(25) RUNG(26) RUNG(27) RUNG(28) RUNG(29) RUNG(30) RUNG(31)
static rung *rungs[32] = { rung0, rung1, rung2, rung3, rung4, rung5, rung6, rung7, rung8, rung9,
    rung10, rung11, rung12, rung13, rung14, rung15, rung16, rung17, rung18, rung19, rung20, rung21,
    rung22, rung23, rung24, rung25, rung26, rung27, rung28, rung29, rung30, rung31 };
__attribute__((no_instrument_function)) void descend(void)
{
    if (step == wanted_depth) {
        char name[64];
        snprintf(name, sizeof name, "on, depth %d", wanted_depth + 1);
        compare(name, rounds_of_ladder, at_depth);
        return;
    }
    rungs[step++]();
}

PLAIN double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

PLAIN long resident(void)
{
    long pages = 0, ignored;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &ignored, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return pages * 4;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 2001;
    rounds_of_ladder = rounds;
    printf("%-34s %9s %9s %7s\n", "empty function, ticks a call", "2 rdtsc", "call", "ratio");
    compare("untouched", rounds, calls);
    if (!play_daemon())
        return 0;
    int count = function_count();
    double began = seconds();
    int hundred = 100;
    arm(0, hundred, regions);
    printf("arming a batch of %d: %.0f us\n", hundred, 1e6 * (seconds() - began));
    long before = resident();
    began = seconds();
    arm(hundred, count - hundred, regions + hundred);
    double armed = seconds();
    printf("arming %d more: %.1f ms, %ld KiB resident\n", count - hundred, 1e3 * (armed - began),
           resident() - before);
    compare("armed, off", rounds, calls);
    began = seconds();
    for (int i = 0; i < count; i++)
        switch_on(regions[i]);
    for (int i = 0; i < count; i++)
        switch_off(regions[i]);
    printf("switching %d on and off, one by one with replies: %.1f ms\n", count,
           1e3 * (seconds() - began));
    for (int i = 0; i < 32; i++)
        switch_on(region_of((void *)rungs[i], regions));
    switch_on(region_of((void *)empty, regions));
    int depths[] = { 0, 7, 31 };
    for (int i = 0; i < 3; i++) {
        wanted_depth = depths[i];
        step = 0;
        descend();
    }
    switch_on(region_of((void *)nest, regions));
    nest(10);
    began = seconds();
    disarm(0);
    printf("disarming all %d: %.1f ms\n", count, 1e3 * (seconds() - began));
    compare("disarmed", rounds, calls);
    printf("thread's calibration: %u and %u of 256 ticks\n", *(uint32_t *)(base + SLOTS + 104),
           *(uint32_t *)(base + SLOTS + 108));
    return 0;
}
