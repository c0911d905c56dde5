/* A program whose functions are called hundreds of millions of times a second, and that knows how often, and what share
 * of its time they take.
 *
 * tiny KIND SECONDS [THREADS]: the kind is one of those below, and each thread runs for so many seconds of its own, whoever else
 * wants the processors. The last line of what it prints is
 *   CALLS calls, SECONDS s in them
 *
 * All that a kind computes is one chain, each step of which waits for the one before: so the time is the sum of that of the
 * steps, and the share of a function that of its steps.
 *
 * build: cc -O2 tiny.c -pthread
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))

/* A step of the chain, which no compiler merges with the next one. */
static inline uint64_t step(uint64_t x)
{
    return (x ^ x >> 29) * 6364136223846793005u;
}

uint64_t one(uint64_t x);
uint64_t two(uint64_t x);
uint64_t six(uint64_t x);

APART uint64_t one(uint64_t x)
{
    return step(x);
}

APART uint64_t two(uint64_t x)
{
    return step(step(x));
}

APART uint64_t six(uint64_t x)
{
    return step(step(step(step(step(step(x))))));
}

/* Calls another one three times: its time is that of both. */
uint64_t three_of_two(uint64_t x);

APART uint64_t three_of_two(uint64_t x)
{
    return two(two(two(x)));
}

static double seconds;
static uint64_t calls;
static double inside;
static volatile uint64_t sink;

static double clock_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* A million times an expression of x; a tenth of a second passes between looks at the clock, or less. */
#define ROUND(expression)                    \
    do {                                     \
        for (int i = 0; i < 1000000; i++)    \
            x = (expression);                \
    } while (0)

static void *run(void *kind)
{
    uint64_t x = 1, count = 0;
    double share = 0, ran = clock_of(CLOCK_THREAD_CPUTIME_ID);
    for (double end = ran + seconds; clock_of(CLOCK_THREAD_CPUTIME_ID) < end; count += 1000000) {
        if (!strcmp(kind, "one")) {
            share = 1;
            ROUND(one(x));
        } else if (!strcmp(kind, "two")) {
            share = 1;
            ROUND(two(x));
        } else if (!strcmp(kind, "six")) {
            share = 1;
            ROUND(six(x));
        } else if (!strcmp(kind, "two-of-six")) {
            share = 2.0 / 6;
            ROUND(step(step(step(step(two(x))))));
        } else if (!strcmp(kind, "one-of-six")) {
            share = 1.0 / 6;
            ROUND(step(step(step(step(step(one(x)))))));
        } else if (!strcmp(kind, "six-of-eight")) {
            share = 6.0 / 8;
            ROUND(step(step(six(x))));
        } else if (!strcmp(kind, "three-of-two-of-eight")) {
            share = 6.0 / 8;
            ROUND(step(step(three_of_two(x))));
        } else {
            exit(2);
        }
    }
    ran = clock_of(CLOCK_THREAD_CPUTIME_ID) - ran;
    sink = x;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    calls += count;
    inside += share * ran;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int count, char **words)
{
    char *kind = count > 1 ? words[1] : "two";
    seconds = count > 2 ? atof(words[2]) : 1;
    int threads = count > 3 ? atoi(words[3]) : 1;
    pthread_t others[64];
    for (int i = 1; i < threads && i < 64; i++)
        pthread_create(&others[i], NULL, run, kind);
    run(kind);
    for (int i = 1; i < threads && i < 64; i++)
        pthread_join(others[i], NULL);
    fprintf(stderr, "%llu calls, %.6f s in them\n", (unsigned long long)calls, inside);
    return 0;
}
