/* Threads whose recursion needs nearly all of their stack, alone and by turns of two functions.
 *
 * build: cc -g -O1 -fno-optimize-sibling-calls -pthread deep_recursion.c -o deep_recursion
 * run: deep_recursion [milliseconds]
 * expect: done; on standard error how often `visit` was called
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A level takes 80 bytes, so the deepest one has some 20 KiB left. */
enum { STACK = 128 * 1024, LEVELS = 1350, BYTES = 56 };

static long until, visits;

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

__attribute__((noinline)) static long visit(long level)
{
    volatile char used[BYTES];
    used[level % BYTES] = 1;
    visits++;
    return level == LEVELS ? used[level % BYTES] : visit(level + 1) + used[level % BYTES];
}

__attribute__((noinline)) static long odd(long level);

__attribute__((noinline)) static long even(long level)
{
    volatile char used[BYTES];
    used[level % BYTES] = 1;
    return level >= LEVELS ? used[level % BYTES] : odd(level + 1) + used[level % BYTES];
}

__attribute__((noinline)) static long odd(long level)
{
    volatile char used[BYTES];
    used[level % BYTES] = 1;
    return even(level + 1) + used[level % BYTES];
}

static void *run(void *unused)
{
    long turns = 0;
    (void)unused;
    for (; now() < until; turns++) {
        if (visit(0) != LEVELS + 1 || even(0) != LEVELS + 1)
            return NULL;
        struct timespec rest = {0, 25000000};
        nanosleep(&rest, NULL);
    }
    return turns > 0 ? (void *)1 : NULL;
}

int main(int argc, char **argv)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *is_done = NULL;
    until = now() + (argc > 1 ? atol(argv[1]) : 1000);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    if (pthread_create(&thread, &attributes, run, NULL) || pthread_join(thread, &is_done))
        return 2;
    fprintf(stderr, "%ld calls of visit\n", visits);
    puts(is_done ? "done" : "wrong");
    return is_done ? 0 : 1;
}
