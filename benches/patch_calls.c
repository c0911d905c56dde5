/* What an instrumented call costs: an empty function on, off, disarmed, at several depths, against two
 * bare reads of the time stamp counter in the same loop; and what switching and arming take.
 *
 * build: as tests/programs/patch/calls.c, with -I tests/programs/patch
 * run: patch_calls ROUNDS, under the library with a run directory
 */
#include "daemon.h"

#include <dirent.h>
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

/* Seconds for which the thread ran that carries out commands. */
PLAIN double agent_seconds(void)
{
    static clockid_t clock;
    DIR *threads = clock ? NULL : opendir("/proc/self/task");
    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        char path[300], name[16] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        /* A thread's own clock, as the system numbers them. */
        if (file && fscanf(file, "%15s", name) == 1 && !strcmp(name, "whyperf"))
            clock = (~(clockid_t)atoi(entry->d_name) << 3) | 6;
        if (file)
            fclose(file);
    }
    if (threads)
        closedir(threads);
    struct timespec ran = { 0 };
    clock_gettime(clock, &ran);
    return (double)ran.tv_sec + 1e-9 * (double)ran.tv_nsec;
}

/* Switches functions on or off, as many at a time as a ring holds; answers the seconds that the agent took. */
PLAIN double switch_many(uint64_t what, int first, int count)
{
    double began = agent_seconds();
    for (int at = first; at < first + count; at += 48) {
        int some = first + count - at < 48 ? first + count - at : 48;
        for (int i = 0; i < some; i++)
            leave_command(what, (uint64_t)regions[at + i], 0, 0);
        wake_agent();
        for (int i = 0; i < some; i++)
            await_reply(what == SWITCH_ON ? SWITCHED_ON : SWITCHED_OFF);
    }
    return agent_seconds() - began;
}

/* More and more functions: each step's time and memory, of one function. */
PLAIN void grow(int count)
{
    int steps[] = { 1000, 3000, 10000 }, first = 0;
    printf("%-22s %9s %9s %9s %9s %9s\n", "functions, us each", "arm", "on", "off", "disarm", "KiB each");
    for (int i = 0; i < 3; i++) {
        int last = i == 2 ? count : steps[i], some = last - first;
        long before = resident();
        double began = seconds();
        arm(first, some, regions + first);
        double armed = seconds() - began;
        double on = switch_many(SWITCH_ON, 0, last), off = switch_many(SWITCH_OFF, 0, last);
        long after = resident();
        began = seconds();
        disarm(0);
        double disarmed = seconds() - began;
        printf("%-22d %9.2f %9.2f %9.2f %9.2f %9.2f\n", last, 1e6 * armed / some, 1e6 * on / last,
               1e6 * off / last, 1e6 * disarmed / last, (double)(after - before) / some);
        began = seconds();
        arm(0, last, regions);
        printf("%-22s %9.2f\n", "  again", 1e6 * (seconds() - began) / last);
        first = last;
    }
    double began = __rdtsc(), time = seconds();
    while (seconds() - time < 0.02)
        ;
    printf("a tick is %.3f ns\n", 1e9 * (seconds() - time) / ((double)__rdtsc() - began));
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
    printf("arming a batch of %d: %.0f us, the first registration with the kernel included\n", hundred,
           1e6 * (seconds() - began));
    double batches[40];
    for (int i = 0; i < 40; i++) {
        began = seconds();
        arm(hundred * (i + 1), hundred, regions + hundred * (i + 1));
        batches[i] = seconds() - began;
    }
    qsort(batches, 40, sizeof(double), ascending);
    printf("arming a further batch of %d, median and best: %.0f and %.0f us\n", hundred,
           1e6 * batches[20], 1e6 * batches[0]);
    disarm(0);
    grow(count);
    compare("armed, off", rounds, calls);
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
