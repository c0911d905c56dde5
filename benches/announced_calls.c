/* What a function costs that announces its calls, off and on, against the same with the C library's empty hooks
 * and against one without: in one process, in turns.
 *
 * build: this with -I tests/programs/patch; linked with two builds of announced_function.c under -finstrument-functions:
 *   one with its function and hooks renamed to bare, nothing_enter and nothing_exit
 * run: announced_calls ROUNDS, under the library with a run directory
 */
#include "daemon.h"

#include <x86intrin.h>

void announced(void);
void bare(void);
__attribute__((noinline, noclone)) static void plain(void) { __asm__ volatile(""); }

/* The hooks of the second build: through a pointer, as calls into a library are. */
static void (*library_enter)(void *, void *), (*library_exit)(void *, void *);
void nothing_enter(void *function, void *site) { library_enter(function, site); }
void nothing_exit(void *function, void *site) { library_exit(function, site); }

enum { CALLS = 2000 };

PLAIN int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

PLAIN double calls(void (*function)(void))
{
    uint64_t began = __rdtsc();
    for (long i = 0; i < CALLS; i++)
        function();
    return (double)(__rdtsc() - began) / CALLS;
}

PLAIN double frequency(void)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    uint64_t began = __rdtsc();
    do
        clock_gettime(CLOCK_MONOTONIC, &to);
    while ((to.tv_sec - from.tv_sec) * 1000000000L + to.tv_nsec - from.tv_nsec < 20000000);
    uint64_t ticks = __rdtsc() - began;
    return (double)ticks / (double)((to.tv_sec - from.tv_sec) * 1000000000L + to.tv_nsec - from.tv_nsec);
}

PLAIN double median(double *all, int count)
{
    qsort(all, (size_t)count, sizeof *all, ascending);
    return all[count / 2];
}

/* Medians of short rounds that take turns. */
PLAIN void compare(const char *name, int rounds, double ticks)
{
    double *times = (double *)malloc(3 * sizeof(double) * (size_t)rounds);
    for (int i = 0; i < rounds; i++) {
        times[i] = calls(plain);
        times[rounds + i] = calls(bare);
        times[2 * rounds + i] = calls(announced);
    }
    double one = median(times, rounds) / ticks, empty = median(times + rounds, rounds) / ticks;
    double ours = median(times + 2 * rounds, rounds) / ticks;
    printf("%-30s %8.2f %8.2f %8.2f %8.2f\n", name, one, empty, ours, ours - empty);
    free(times);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 2001, region;
    double ticks = frequency();
    void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    *(void **)&library_enter = dlsym(library, "__cyg_profile_func_enter");
    *(void **)&library_exit = dlsym(library, "__cyg_profile_func_exit");
    if (!library_enter || !library_exit)
        fail("the C library has no hooks");
    printf("%-30s %8s %8s %8s %8s\n", "an empty function, ns a call", "no hooks", "empty", "ours", "more");
    if (!play_daemon())
        fail("not measured");
    compare("never armed", rounds, ticks);
    memset(RECORDS, 0, sizeof *RECORDS);
    RECORDS->entry = (uintptr_t)announced;
    if (ask(ARM, 0, 1, 0, ARMED)[1] != 1)
        fail("not armed");
    region = (int)(RESULTS_OF(0) >> 32);
    compare("armed, off", rounds, ticks);
    switch_on(region);
    compare("on", rounds, ticks);
    switch_off(region);
    compare("off again", rounds, ticks);
    return 0;
}
