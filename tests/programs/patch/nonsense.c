/* A program that is asked for nonsense: addresses of nobody, jumps that lead elsewhere, other bytes than
 * there are, regions that are no functions.
 *
 * build: as calls.c
 * run: nonsense
 * expect: each refused with its reason, and a program that goes on
 */
#include "daemon.h"

#include <signal.h>

#define FAR __attribute__((noinline, noclone))

FAR long add(long a, long b) { return a + b; }
FAR long twice(long a) { return add(a, a); }

enum { DONE, NONSENSE, NOT_MAPPED, TEXT_CHANGED, POOL_FULL, NO_THUNK, TRACED, BLOCKED };

static int regions[16];

PLAIN void expect(uint64_t found, uint64_t wanted, const char *what)
{
    if (found != wanted) {
        fprintf(stderr, "%s: %lu, not %lu\n", what, (unsigned long)found, (unsigned long)wanted);
        _exit(1);
    }
}

PLAIN uint64_t outcome(const struct record *record)
{
    *RECORDS = *record;
    ask(ARM, 0, 1, 0, ARMED);
    return (uint32_t)RESULTS_OF(0);
}

#define WRONG(field, value, wanted) do { \
        struct record bad = good; \
        bad.field = (value); \
        expect(outcome(&bad), wanted, #field " = " #value); \
    } while (0)

PLAIN void records(void)
{
    struct record good;
    plan(&good, 0);
    WRONG(length, 0, NONSENSE);
    WRONG(length, 9, NONSENSE);
    WRONG(thunk, 77, NONSENSE);
    WRONG(thunk, 2, NO_THUNK);
    WRONG(thunk, 3, NONSENSE);
    WRONG(thunk, 3 | 17 << 8, NONSENSE);
    WRONG(thunk, 1 | 1 << 8, NONSENSE);
    WRONG(site, 0, NONSENSE);
    WRONG(site, good.site + 3, NONSENSE);
    WRONG(site, ~0ul, NONSENSE);
    WRONG(entry, 0, NONSENSE);
    WRONG(original, 1, TEXT_CHANGED);
    WRONG(patched, 0, NONSENSE);
    WRONG(patched, jump(good.site, good.stub + 8), NONSENSE);
    WRONG(island, good.site + 20, NONSENSE);
    WRONG(stub, good.stub + 32, NONSENSE);
    WRONG(copy, 0, NONSENSE);
    WRONG(copy, good.stub + 100, NONSENSE);
    WRONG(word, 0, NONSENSE);
    WRONG(code_length, 0, NONSENSE);
    WRONG(code_length, 113, NONSENSE);
    WRONG(code_length, ~0ul, NONSENSE);
    WRONG(boundary_count, ~0ul, NONSENSE);
    struct record elsewhere = good;
    elsewhere.entry = elsewhere.site = ARENA + 4096;
    elsewhere.patched = jump(elsewhere.site, elsewhere.stub);
    expect(outcome(&elsewhere), NOT_MAPPED, "a site in data");
    elsewhere.entry = elsewhere.site = 0x1000;
    elsewhere.patched = jump(elsewhere.site, elsewhere.stub);
    expect(outcome(&elsewhere), NOT_MAPPED, "a site of nobody");
    struct record announced = { .entry = ARENA };
    expect(outcome(&announced), NOT_MAPPED, "a function that announces its calls in data");
    announced.entry = 0;
    expect(outcome(&announced), NONSENSE, "a function at 0");
}

PLAIN void refused(uint64_t what, uint64_t a, uint64_t b, uint64_t c)
{
    ask(what, a, b, c, 0);
    struct commands *out = (struct commands *)(base + COMMANDS);
    struct replies *in = (struct replies *)(base + REPLIES);
    while (__atomic_load_n(&in->produced, __ATOMIC_ACQUIRE) == out->replies_consumed)
        syscall(SYS_sched_yield);
    expect(KIND(in->entries[out->replies_consumed % 64][0]), REFUSED, "a command that is nonsense");
    __atomic_store_n(&out->replies_consumed, out->replies_consumed + 1, __ATOMIC_RELEASE);
}

PLAIN void commands(void)
{
    refused(ARM, 192, 1, 0);
    refused(ARM, ~0ul, 2, 0);
    refused(DISARM, 1, 0, 0);
    refused(DISARM, 70000, 0, 0);
    refused(WINDOW, 1, 1000000, 2000000);
    refused(WINDOW, (uint64_t)regions[0], 1, 2);
    refused(999, 0, 0, 0);
    expect(ask(MAP_ARENA, 0, 1 | 1ul << 32, 0, MAPPED)[2], 22, "an arena at 0");
    expect(ask(MAP_ARENA, ARENA, 4096 | 4096ul << 32, 0, MAPPED)[2], 17, "an arena on another");
    expect(ask(MAP_ARENA, ARENA + 1, 4096 | 4096ul << 32, 0, MAPPED)[2], 22, "a crooked arena");
    expect(ask(MAP_ARENA, 1ul << 60, 4096 | 4096ul << 32, 0, MAPPED)[2] != 0, 1, "a far arena");
}

PLAIN void blocked_trap(void)
{
    sigset_t trap, before;
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    sigprocmask(SIG_BLOCK, &trap, &before);
    struct record good;
    plan(&good, 1);
    expect(outcome(&good), BLOCKED, "a blocked trap");
    sigprocmask(SIG_SETMASK, &before, NULL);
    expect(outcome(&good), DONE, "an open trap");
}

int main(void)
{
    if (play_daemon()) {
        records();
        blocked_trap();
        switch_all_on(regions);
        commands();
        expect((uint64_t)twice(4), 8, "a result");
        expect(visits_of(region_of((void *)add, regions), NULL), 1, "visits");
    }
    printf("%ld\n", twice(21));
    return 0;
}
