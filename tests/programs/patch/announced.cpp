/* Exceptions that cross functions which announce their calls; the compiler may tell of their ends, or not.
 *
 * build: as announced.c, with g++ or clang++
 * run: announced
 * expect: every visit is counted once the function that caught has returned, and the tree stays small
 */
#include "daemon.h"

#include <pthread.h>

#define FAR __attribute__((noinline))
enum { TIMES = 20000, LEVELS = 10 };

static volatile long destroyed;
struct guard {
    __attribute__((no_instrument_function)) ~guard() { destroyed = destroyed + 1; }
};

FAR void deepest(long value) { if (value >= 0) throw value; }
FAR void level(long v, int depth)
{
    guard g;
    if (depth)
        level(v, depth - 1);
    else
        deepest(v);
    asm volatile("");
}
FAR long caught(long v)
{
    try {
        level(v, LEVELS - 1);
    } catch (long found) {
        return found;
    }
    return -1;
}
FAR void leave_thread(int depth)
{
    guard g;
    if (depth)
        leave_thread(depth - 1);
    else
        pthread_exit((void *)7);
    asm volatile("");
}
FAR void *ending(void *) { leave_thread(9); return NULL; }

static struct { const char *name; void *address; uint64_t calls; int region; } functions[] = {
    { "deepest", (void *)deepest, TIMES, 0 },
    { "level", (void *)level, (uint64_t)TIMES * LEVELS, 0 },
    { "caught", (void *)caught, TIMES, 0 },
};

int main()
{
    int measured = play_daemon();
    int count = sizeof functions / sizeof *functions;
    for (int i = 0; measured && i < count; i++) {
        memset(RECORDS + i, 0, sizeof *RECORDS);
        RECORDS[i].entry = (uintptr_t)functions[i].address;
    }
    if (measured && ask(ARM, 0, (uint64_t)count, 0, ARMED)[1] != (uint64_t)count)
        fail("not all armed");
    for (int i = 0; measured && i < count; i++) {
        functions[i].region = (int)(RESULTS_OF(i) >> 32);
        switch_on(functions[i].region);
    }
    long sum = 0;
    for (long i = 0; i < TIMES; i++)
        sum += caught(i);
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, ending, NULL);
    pthread_join(thread, &result);
    printf("caught %ld, destroyed %ld, ended with %ld\n", sum, destroyed, (long)result);
    for (int i = 0; measured && i < count; i++) {
        uint64_t found = visits_of(functions[i].region, NULL);
        if (found != functions[i].calls) {
            fprintf(stderr, "%s: %lu visits, not %lu\n", functions[i].name, (unsigned long)found,
                    (unsigned long)functions[i].calls);
            return 1;
        }
    }
    if (measured && node_count() > 16)
        return 2;
    return 0;
}
