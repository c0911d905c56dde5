/* A program that knows how often it calls a function, and says so at its end.
 *
 * counted LIFE [NANOSECONDS]: the life is one of those below; a call takes about so many nanoseconds, 40 without.
 * The last line of what it prints is the number of calls of work, over all its processes and threads.
 *
 * build: cc -O2 counted.c -pthread
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../seconds.h"

static volatile uint64_t *total;
static unsigned rounds = 12;
static volatile uint64_t sink;

uint64_t work(uint64_t x, unsigned n);
uint64_t rest(uint64_t x);

__attribute__((noinline, noclone)) uint64_t work(uint64_t x, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
}

/* Computes without calling anything, for about a microsecond. */
__attribute__((noinline, noclone)) uint64_t rest(uint64_t x)
{
    for (unsigned i = 0; i < 800; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
}

/* Calls it over and over for so long; 64 calls between two looks at the clock. */
static void hot(double seconds)
{
    uint64_t calls = 0, x = 1;
    for (double end = seconds_of(CLOCK_MONOTONIC) + seconds; seconds_of(CLOCK_MONOTONIC) < end; calls += 64)
        for (int i = 0; i < 64; i++)
            x = work(x, rounds);
    sink = x;
    __atomic_fetch_add(total, calls, __ATOMIC_RELAXED);
}

/* Computes and calls it a few thousand times a second. */
static void mild(double seconds)
{
    uint64_t calls = 0, x = 1;
    for (double end = seconds_of(CLOCK_MONOTONIC) + seconds; seconds_of(CLOCK_MONOTONIC) < end; calls++) {
        for (int i = 0; i < 200; i++)
            x = rest(x);
        x = work(x, rounds);
    }
    sink = x;
    __atomic_fetch_add(total, calls, __ATOMIC_RELAXED);
}

static void quiet(double seconds)
{
    uint64_t x = 1;
    for (double end = seconds_of(CLOCK_MONOTONIC) + seconds; seconds_of(CLOCK_MONOTONIC) < end;)
        x = rest(x);
    sink = x;
}

static void exactly(uint64_t calls)
{
    uint64_t x = 1;
    for (uint64_t i = 0; i < calls; i++)
        x = work(x, rounds);
    sink = x;
    __atomic_fetch_add(total, calls, __ATOMIC_RELAXED);
}

static double seconds_in(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static void child(void (*live)(double), double seconds)
{
    if (fork() == 0) {
        live(seconds);
        _exit(0);
    }
    wait(NULL);
}

static void *thread(void *seconds)
{
    hot(*(double *)seconds);
    return NULL;
}

int main(int count, char **words)
{
    const char *life = count > 1 ? words[1] : "mild";
    /* A step is a multiplication and an addition, each waiting for the one before: about 1.6 ns. */
    if (count > 2)
        rounds = (unsigned)(atof(words[2]) / 1.6);
    total = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (total == MAP_FAILED)
        return 1;
    if (!strcmp(life, "at-once")) {
        exactly(1000);
    } else if (!strcmp(life, "mild")) {
        mild(1.5);
    } else if (!strcmp(life, "late-fork")) {
        mild(1);
        child(mild, 1);
    } else if (!strcmp(life, "short-forks")) {
        for (int i = 0; i < 20; i++)
            child(mild, 0.01);
    } else if (!strcmp(life, "hot-fork")) {
        hot(1.5);
        child(hot, 1.5);
    } else if (!strcmp(life, "later")) {
        /* Another program of the same file, once this one runs. */
        mild(0.5);
        if (fork() == 0) {
            execl("/proc/self/exe", words[0], "mild", (char *)NULL);
            _exit(1);
        }
        wait(NULL);
    } else if (!strcmp(life, "unseen")) {
        /* The same, while nobody can look: whoever measures is this one's parent. */
        mild(0.5);
        kill(getppid(), SIGSTOP);
        if (fork() == 0) {
            execl("/proc/self/exe", words[0], "at-once", (char *)NULL);
            _exit(1);
        }
        wait(NULL);
        kill(getppid(), SIGCONT);
    } else if (!strcmp(life, "hot-unseen")) {
        /* The same, but it is hot, and nobody can look for the first half second of it. */
        char measurer[16];
        snprintf(measurer, sizeof measurer, "%d", (int)getppid());
        mild(0.5);
        kill(getppid(), SIGSTOP);
        if (fork() == 0) {
            execl("/proc/self/exe", words[0], "hot-at-once", count > 2 ? words[2] : "40", measurer, (char *)NULL);
            _exit(1);
        }
        wait(NULL);
    } else if (!strcmp(life, "hot-at-once") && count > 3) {
        hot(0.5);
        kill((pid_t)atoi(words[3]), SIGCONT);
        hot(3);
    } else if (!strcmp(life, "burst")) {
        quiet(1);
        exactly(200000);
    } else if (!strcmp(life, "quiet-hot")) {
        quiet(4);
        hot(4);
    } else if (!strcmp(life, "hot-quiet")) {
        hot(4);
        quiet(4);
    } else if (!strcmp(life, "hot")) {
        hot(4);
    } else if (!strcmp(life, "crowded")) {
        /* The crowd is of others, and leaves whoever measures about as much as this program, however many they are. It says for how many
         * seconds this thread ran from here on, and in the kernel: what the start took, and what other threads do, is not in it. */
        struct rusage before, ran;
        getrusage(RUSAGE_THREAD, &before);
        double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + 0.4;
        while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
            hot(0.01);
        getrusage(RUSAGE_THREAD, &ran);
        printf("%.6f %.6f\n", seconds_in(ran.ru_utime) - seconds_in(before.ru_utime), seconds_in(ran.ru_stime) - seconds_in(before.ru_stime));
    } else if (!strcmp(life, "threads")) {
        double seconds = 4;
        pthread_t other;
        pthread_create(&other, NULL, thread, &seconds);
        hot(seconds);
        pthread_join(other, NULL);
    } else {
        return 2;
    }
    fprintf(stderr, "%llu calls of work\n", (unsigned long long)*total);
    return 0;
}
