/* A program with a function that is called all the time: it exceeds its budget and is switched off, and
 * is then measured in windows.
 *
 * build: as calls.c
 * run: limits
 * expect: off within milliseconds; in windows, its calls in proportion to the time covered
 */
#include "daemon.h"

#define FAR __attribute__((noinline, noclone))

FAR void hot(void) { __asm__ volatile(""); }
FAR void rare(void) { __asm__ volatile(""); }

static int regions[16];
static long calls;

PLAIN double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

PLAIN void spin(double duration)
{
    double end = seconds() + duration;
    do {
        for (int i = 0; i < 100000; i++)
            hot();
        rare();
        calls += 100000;
    } while (seconds() < end);
}

int main(void)
{
    if (play_daemon()) {
        ask(BUDGET, 100000, 0, 0, 0);
        switch_all_on(regions);
        int id = region_of((void *)hot, regions), slow = region_of((void *)rare, regions);
        spin(0.2);
        uint64_t seen = visits_of(id, NULL);
        if (REGION_OF(id)->switched || REGION_OF(id)->since || !REGION_OF(id)->hot_visits)
            fail("a hot function is still on");
        if (seen > 50000)
            fail("a hot function was on for long");
        uint64_t *reply = ask(0, 0, 0, 0, TOO_HOT);
        if (reply[1] != (uint64_t)id || reply[2] == 0)
            fail("nothing was said of the hot function");
        if (!REGION_OF(slow)->switched || REGION_OF(slow)->hot_visits)
            fail("a rare function was switched off");
        uint64_t covered = REGION_OF(id)->covered;
        calls = 0;
        ask(WINDOW, (uint64_t)id, 1000000, 20000000, 0);
        double began = seconds();
        uint64_t ticks = __builtin_ia32_rdtsc();
        spin(1.0);
        ask(WINDOW, (uint64_t)id, 0, 0, 0);
        ask(SWITCH_OFF, (uint64_t)id, 0, 0, SWITCHED);
        ticks = __builtin_ia32_rdtsc() - ticks;
        double duration = seconds() - began;
        covered = REGION_OF(id)->covered - covered;
        uint64_t in_windows = visits_of(id, NULL) - seen;
        double share = (double)covered / (double)ticks;
        fprintf(stderr, "%.3f s, share %.4f, %lu of %ld calls\n", duration, share,
                (unsigned long)in_windows, calls);
        if (share < 0.01 || share > 0.6)
            fail("windows cover another share of the time");
        if (in_windows == 0 || (double)in_windows > share * (double)calls * 2)
            fail("calls are out of proportion");
        if (REGION_OF(id)->switched || REGION_OF(id)->since)
            fail("still on after the windows");
    }
    spin(0.01);
    return 0;
}
