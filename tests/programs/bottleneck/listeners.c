/* One thread works; others are a timer, a monitor with a condition, a listener, and a clock that is read, which come back now and then, look around, and wait again.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls listeners.c -o listeners -lpthread
 * run: listeners [seconds]
 * hypothesis: CPUbound
 * function: /Code/listeners.c/work_alone
 * object: none
 * shows: CPUbound
 * refutes: ExcessiveSyncWaitingTime, ExcessiveIOBlockingTime, BlockedElsewhere
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))

static pthread_mutex_t monitor_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t alarm_raised = PTHREAD_COND_INITIALIZER;
static int requests[2];

static void *timer(void *nothing)
{
    for (;;)
        usleep(50000);
    return nothing;
}

static void *monitor(void *nothing)
{
    pthread_mutex_lock(&monitor_lock);
    for (;;) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += 20000000;
        t.tv_sec += t.tv_nsec / 1000000000;
        t.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&alarm_raised, &monitor_lock, &t);
    }
    return nothing;
}

static void *listener(void *nothing)
{
    char request;
    struct pollfd one = {.fd = requests[0], .events = POLLIN};
    while (poll(&one, 1, -1) == 1 && read(requests[0], &request, 1) == 1)
        continue;
    return nothing;
}

static void *clock_reader(void *nothing)
{
    uint64_t times;
    int clock = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec often = {{0, 50000000}, {0, 50000000}};
    timerfd_settime(clock, 0, &often, NULL);
    while (read(clock, &times, sizeof times) == sizeof times)
        continue;
    return nothing;
}

OWN_NAME static double work_alone(double seconds)
{
    volatile double sum = 0.0;
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 1; i < 5000; i++)
            sum += 1.0 / i;
    return sum;
}

int main(int count, char **words)
{
    double seconds = count > 1 ? atof(words[1]) : 4.0;
    void *(*const all[])(void *) = {timer, monitor, listener, clock_reader};
    if (pipe(requests))
        return 1;
    for (int i = 0; i < 4; i++) {
        pthread_t id;
        if (pthread_create(&id, NULL, all[i], NULL))
            return 1;
    }
    double sum = 0.0;
    for (int round = 0; round < 20; round++) {
        sum += work_alone(seconds / 20);
        if (write(requests[1], "x", 1) != 1)
            return 1;
    }
    printf("worked: %s\n", sum > 0 ? "yes" : "no");
    return 0;
}
