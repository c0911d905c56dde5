/* A program whose exceptions cross instrumented functions: caught far above, thrown again, and by the end
 * and by the cancellation of threads; and which looks at its own stack from inside them.
 *
 * build: as calls.c, with g++
 * run: exceptions
 * expect: destructors run once each, every visit is counted, and the stack is seen to its end
 */
#include "daemon.h"

#include <execinfo.h>
#include <pthread.h>
#include <semaphore.h>

#define FAR __attribute__((noinline, noclone))
#define TIMES 2000

static int regions[256];
static long destroyed;
static sem_t ready;

struct guard {
    ~guard() { destroyed++; }
};

FAR void deepest(long value) { if (value >= 0) throw value; }
FAR void level1(long v) { guard g; deepest(v); asm volatile(""); }
FAR void level2(long v) { guard g; level1(v); asm volatile(""); }
FAR void level3(long v) { guard g; level2(v); asm volatile(""); }
FAR void level4(long v) { guard g; level3(v); asm volatile(""); }
FAR void level5(long v) { try { level4(v); } catch (long) { throw; } asm volatile(""); }
FAR void level6(long v) { guard g; level5(v); asm volatile(""); }
FAR void level7(long v) { guard g; level6(v); asm volatile(""); }
FAR void level8(long v) { guard g; level7(v); asm volatile(""); }
FAR void level9(long v) { guard g; level8(v); asm volatile(""); }
FAR void level10(long v) { guard g; level9(v); asm volatile(""); }
FAR long caught(long v)
{
    try {
        level10(v);
    } catch (long found) {
        return found;
    }
    return -1;
}

FAR int frames(int depth)
{
    void *list[256];
    int found = depth ? frames(depth - 1) : backtrace(list, 256);
    asm volatile("");
    return found;
}

FAR void end_thread(int depth)
{
    guard g;
    if (depth)
        end_thread(depth - 1);
    else
        pthread_exit((void *)7);
    asm volatile("");
}
FAR void wait_for_end(void)
{
    guard g;
    sem_post(&ready);
    for (;;) {
        struct timespec moment = { 1, 0 };
        nanosleep(&moment, NULL);
    }
}
FAR void *ending(void *) { end_thread(9); return NULL; }
FAR void *cancelled(void *) { wait_for_end(); return NULL; }

PLAIN void expect(uint64_t found, uint64_t wanted, const char *what)
{
    if (found != wanted) {
        fprintf(stderr, "%s: %lu, not %lu\n", what, (unsigned long)found, (unsigned long)wanted);
        _exit(1);
    }
}
PLAIN uint64_t visits(const void *function) { return visits_of(region_of(function, regions), NULL); }

PLAIN void threads(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, ending, NULL);
    pthread_join(thread, &result);
    expect((uint64_t)result, 7, "a thread's result");
    pthread_create(&thread, NULL, cancelled, NULL);
    sem_wait(&ready);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    expect((uint64_t)result, (uint64_t)PTHREAD_CANCELED, "a cancelled thread's result");
}

int main(void)
{
    sem_init(&ready, 0, 0);
    int is_measured = play_daemon();
    int plain = frames(10);
    if (is_measured)
        switch_all_on(regions);
    uint32_t root = is_measured ? current_node() : 0;
    long all = 0;
    for (long i = 0; i < TIMES; i++)
        all += caught(i);
    expect((uint64_t)all, (uint64_t)TIMES * (TIMES - 1) / 2, "what was caught");
    expect((uint64_t)destroyed, 9 * TIMES, "destructors");
    if (is_measured) {
        expect(current_node(), root, "current after exceptions");
        const void *levels[] = { (void *)deepest, (void *)level1, (void *)level5, (void *)level10, (void *)caught };
        for (unsigned i = 0; i < 5; i++)
            expect(visits(levels[i]), TIMES, "visits of a level");
        expect(anomaly_count(), 0, "anomalies");
        /* Each instrumented call is one frame more, which the program is not told. */
        expect((uint64_t)frames(10), (uint64_t)plain, "frames seen");
    }
    threads();
    expect((uint64_t)destroyed, 9 * TIMES + 11, "destructors of threads");
    if (is_measured) {
        expect(visits((void *)end_thread), 10, "visits of end_thread");
        expect(visits((void *)wait_for_end), 1, "visits of wait_for_end");
    }
    printf("%ld\n", destroyed);
    return 0;
}
