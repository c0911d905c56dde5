/* A program with a function that is called all the time: it alone exceeds the budget, is switched off, and
 * is then measured in windows. Others exceed it together, and rest for a part of each interval.
 *
 * build: as calls.c
 * run: limits
 * expect: off after few visits; in windows some of its calls; of many functions some visits, and none is switched off.
 * It says how many, which a benchmark shows: on a busy machine the agent comes late to its turns, and that is no defect
 */
#include "daemon.h"

#define FAR __attribute__((noinline, noclone))

FAR void hot(void) { __asm__ volatile(""); }
FAR void rare(void) { __asm__ volatile(""); }

#define WARM(number) FAR void warm_##number(void) { __asm__ volatile("" ::"i"(number)); }
WARM(0) WARM(1) WARM(2) WARM(3) WARM(4) WARM(5) WARM(6) WARM(7)
static void (*const warm[])(void) = { warm_0, warm_1, warm_2, warm_3, warm_4, warm_5, warm_6, warm_7 };
enum { WARM_ONES = 8 };

static int regions[32];
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

/* Calls each of many functions once every few microseconds. */
PLAIN long stroll(double duration)
{
    double end = seconds() + duration;
    long rounds = 0;
    do {
        for (int i = 0; i < 100; i++) {
            uint64_t until = __builtin_ia32_rdtsc() + 60000;
            for (int at = 0; at < WARM_ONES; at++)
                warm[at]();
            while (__builtin_ia32_rdtsc() < until)
                ;
        }
        rounds += 100;
    } while (seconds() < end);
    return rounds;
}

/* All together may be visited 100,000 times a second, and would be several times as often; none alone. */
PLAIN void share_a_budget(void)
{
    uint64_t before = 0, after = 0;
    double began = seconds();
    for (int at = 0; at < WARM_ONES; at++)
        before += visits_of(region_of((void *)warm[at], regions), NULL);
    ask(BUDGET, 1000, 10000000, 0, 0);
    long rounds = stroll(1.0);
    double duration = seconds() - began;
    for (int at = 0; at < WARM_ONES; at++) {
        int id = region_of((void *)warm[at], regions);
        uint64_t own = visits_of(id, NULL);
        after += own;
        if (!REGION_OF(id)->switched)
            fprintf(stderr, "%d was too hot\n", at);
    }
    double visits = (double)(after - before), all = (double)rounds * WARM_ONES;
    double allowed = 100000 * duration;
    fprintf(stderr, "%.0f visits of %.0f, %.0f allowed\n", visits, all, allowed);
    if (visits == 0 || visits > all)
        fail("functions that share a budget are not measured");
}

int main(void)
{
    if (play_daemon()) {
        switch_all_on(regions);
        share_a_budget();
        int id = region_of((void *)hot, regions), slow = region_of((void *)rare, regions);
        spin(0.2);
        uint64_t seen = visits_of(id, NULL);
        if (REGION_OF(id)->switched || REGION_OF(id)->since || !REGION_OF(id)->hot_visits)
            fail("a hot function is still on");
        if (seen > 50000)
            fail("a hot function was on for long");
        uint64_t *reply = await_reply(TOO_HOT);
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
        ask(SWITCH_OFF, (uint64_t)id, 0, 0, SWITCHED_OFF);
        ticks = __builtin_ia32_rdtsc() - ticks;
        double duration = seconds() - began;
        covered = REGION_OF(id)->covered - covered;
        uint64_t in_windows = visits_of(id, NULL) - seen;
        double share = (double)covered / (double)ticks;
        fprintf(stderr, "%.3f s, share %.4f, %lu of %ld calls\n", duration, share,
                (unsigned long)in_windows, calls);
        if (share <= 0 || share > 1)
            fail("windows cover another share of the time");
        if (in_windows == 0 || in_windows > (uint64_t)calls)
            fail("windows have other calls than there were");
        if (REGION_OF(id)->switched || REGION_OF(id)->since)
            fail("still on after the windows");
    }
    spin(0.01);
    return 0;
}
