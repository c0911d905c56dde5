/* Computes in two functions, three times as long in one as in the other, and says for how many nanoseconds it ran in each, and in all, by the
 * kernel's own count of a thread's clock: the clock that the thread can read itself leaves out what a host takes from its processor, a count
 * does not, so that the two differ by half a percent where machines share processors.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../seconds.h"

static volatile double result;
static double ran[2];
static int count;

static double nanoseconds_counted(void)
{
    unsigned long long counted;
    if (read(count, &counted, sizeof counted) != sizeof counted) {
        perror("cannot read the count of the thread's clock");
        exit(1);
    }
    return (double)counted;
}

static void compute(double seconds, int which)
{
    double begin = nanoseconds_counted(), now = begin, x = 1;
    while (now < begin + 1e9 * seconds) {
        for (int step = 0; step < 20000; step++)
            x = x * 1.0000001 + 1e-9;
        now = nanoseconds_counted();
    }
    result = x;
    ran[which] += now - begin;
}

__attribute__((noinline, noclone)) void little(void)
{
    compute(0.01, 0);
}

__attribute__((noinline, noclone)) void much(void)
{
    compute(0.03, 1);
}

int main(int argc, char **argv)
{
    struct perf_event_attr clock = {
        .size = sizeof clock, .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1};
    count = (int)syscall(SYS_perf_event_open, &clock, 0, -1, -1, 0);
    double before = 1e9 * seconds_of(CLOCK_THREAD_CPUTIME_ID) - nanoseconds_counted();
    int turns = argc > 1 ? atoi(argv[1]) : 50;
    while (turns-- > 0) {
        little();
        much();
    }
    printf("%.0f %.0f %.0f\n", ran[0], ran[1], before + nanoseconds_counted());
    return 0;
}
