/* Plays the daemon inside a program whose functions begin with a five-byte NOP: finds them by the
 * compiler's list, plans their patches, and sends commands through the process's own region.
 *
 * The offsets of the region come from the command line, so that they are written down once.
 */
#ifndef WHYPERF_TEST_DAEMON_H
#define WHYPERF_TEST_DAEMON_H

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the tests' functions must not be: patched themselves. */
#define PLAIN __attribute__((no_instrument_function, noinline, unused)) static

enum { RELEASE_SLOT = 3, MAP_ARENA, ARM, DISARM, WINDOW, BUDGET };
enum { SWITCH_ON = 1, SWITCH_OFF = 2 };
enum { SWITCHED_ON = 1, TOO_HOT, REFUSED, MAPPED, ARMED, DISARMED, SWITCHED_OFF };
/* What a reply is; in the high half stands which command it answers. */
#define KIND(word) ((uint32_t)(word))

struct whyperf_region {
    const char *name;
    uint32_t id, kind;
};
typedef int region_begin(struct whyperf_region *);
typedef void region_end(struct whyperf_region *);

/* Absent where nothing was built with such sites. */
extern const uintptr_t __start___mcount_loc[] __attribute__((weak));
extern const uintptr_t __stop___mcount_loc[] __attribute__((weak));

struct commands {
    uint64_t heartbeat;
    uint32_t doorbell, produced, replies_consumed, go_on, heartbeat_within, pad;
    uint64_t entries[64][4];
};
struct replies {
    uint32_t produced, commands_consumed;
    uint64_t entries[64][4];
};
struct record {
    uint64_t entry, site, length, thunk, original, patched;
    uint64_t island, island_original, island_patched;
    uint64_t stub, copy, word, code_length, boundary_count, boundaries[4];
    uint8_t code[112];
};
struct region {
    uint32_t name, kind, switched, form;
    uint64_t address, hot_visits, covered, since, pad[5];
};

static char *base;
static uint64_t answer[4];
/* Beyond the gigabyte in which the kernel puts the heap of a program that is at a fixed place, and within reach of its jumps. */
#define ARENA ((uintptr_t)0x60000000)
#define DATA_SIZE ((uintptr_t)1 << 20)
#define CODE_SIZE ((uintptr_t)4 << 20)
#define RECORDS ((struct record *)(base + STAGING))
#define RESULTS_OF(at) (((volatile uint64_t *)(base + RESULTS))[at])
#define REGION_OF(id) ((volatile struct region *)(base + REGIONS) + (id))

PLAIN void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    _exit(99);
}

/* Leaves a command for the agent, which there must be room for. */
PLAIN void leave_command(uint64_t what, uint64_t a, uint64_t b, uint64_t c)
{
    struct commands *out = (struct commands *)(base + COMMANDS);
    uint64_t entry[4] = { what, a, b, c };
    memcpy(out->entries[out->produced % 64], entry, sizeof entry);
    __atomic_store_n(&out->produced, out->produced + 1, __ATOMIC_RELEASE);
    __atomic_add_fetch(&out->doorbell, 1, __ATOMIC_RELEASE);
}

PLAIN void wake_agent(void)
{
    struct commands *out = (struct commands *)(base + COMMANDS);
    syscall(SYS_futex, &out->doorbell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Waits for the reply of this kind; others are passed over. */
PLAIN uint64_t *await_reply(uint64_t wanted)
{
    struct commands *out = (struct commands *)(base + COMMANDS);
    struct replies *in = (struct replies *)(base + REPLIES);
    for (long spin = 0; wanted; spin++) {
        if (__atomic_load_n(&in->produced, __ATOMIC_ACQUIRE) == out->replies_consumed) {
            struct timespec moment = { 0, 20000 };
            syscall(SYS_nanosleep, &moment, NULL);
            if (spin > 500000)
                fail("no reply");
            continue;
        }
        memcpy(answer, in->entries[out->replies_consumed % 64], sizeof answer);
        __atomic_store_n(&out->replies_consumed, out->replies_consumed + 1, __ATOMIC_RELEASE);
        if (KIND(answer[0]) == wanted)
            return answer;
        if (KIND(answer[0]) == REFUSED)
            fail("refused");
    }
    return answer;
}

/* Sends a command and waits for the reply of this kind. */
PLAIN uint64_t *ask(uint64_t what, uint64_t a, uint64_t b, uint64_t c, uint64_t wanted)
{
    leave_command(what, a, b, c);
    wake_agent();
    return await_reply(wanted);
}

/* Maps the region, wakes the agent and has an arena mapped. False outside a measurement. */
PLAIN int play_daemon(void)
{
    const char *folder = getenv("WHYPERF_DIR");
    char path[4096];
    static struct whyperf_region first = { "first", 0, 0 };
    region_begin *begin = (region_begin *)dlsym(RTLD_DEFAULT, "whyperf_region_begin");
    region_end *end = (region_end *)dlsym(RTLD_DEFAULT, "whyperf_region_end");
    if (!folder || !begin || !end)
        return 0;
    begin(&first);
    end(&first);
    snprintf(path, sizeof path, "%s/%d-0.region", folder, (int)getpid());
    int fd = open(path, O_RDWR);
    if (fd < 0)
        fail("no region");
    base = (char *)mmap(NULL, MAPPED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (base == MAP_FAILED)
        fail("region not mapped");
    if (ask(MAP_ARENA, ARENA, DATA_SIZE | CODE_SIZE << 32, 0, MAPPED)[2])
        fail("arena not mapped");
    fprintf(stderr, "measured\n");
    return 1;
}

PLAIN int function_count(void)
{
    return (int)(__stop___mcount_loc - __start___mcount_loc);
}

PLAIN uint64_t jump(uintptr_t from, uintptr_t to)
{
    return (uint64_t)0xe9 | (uint64_t)(uint32_t)(to - from - 5) << 8;
}

/* Of functions by their numbers: what the thunk is that the plain one will not do for. */
static uint64_t thunk_of[256] __attribute__((unused));

PLAIN void plan(struct record *record, int number)
{
    uintptr_t site = __start___mcount_loc[number];
    memset(record, 0, sizeof *record);
    record->entry = record->site = site;
    record->length = 5;
    record->thunk = number < 256 && thunk_of[number] ? thunk_of[number] : 1;
    memcpy(&record->original, (void *)site, 5);
    record->word = ARENA + 8 * (uintptr_t)number;
    record->stub = ARENA + DATA_SIZE + 128 * (uintptr_t)number;
    record->copy = record->stub + 8;
    record->code_length = 18;
    record->patched = jump(site, record->stub);
    uint32_t through = (uint32_t)(record->word - record->stub - 6);
    memcpy(record->code, "\xff\x25", 2);
    memcpy(record->code + 2, &through, 4);
    memcpy(record->code + 6, "\x66\x90", 2);
    memcpy(record->code + 8, "\x0f\x1f\x44\x00\x00", 5);
    uint64_t back = jump(record->copy + 5, site + 5);
    memcpy(record->code + 13, &back, 5);
}

/* Arms functions from one number on; keeps each one's region. */
PLAIN int arm(int first, int count, int *regions)
{
    int armed = 0;
    for (int at = 0; at < count; at += 192) {
        int some = count - at < 192 ? count - at : 192;
        for (int i = 0; i < some; i++)
            plan(RECORDS + i, first + at + i);
        int now = 0;
        /* A thread that is being created blocks the trap until it gets a processor. */
        for (int tries = 0; tries < 250 && now == 0; tries++)
            now = (int)ask(ARM, 0, (uint64_t)some, 0, ARMED)[1];
        armed += now;
        for (int i = 0; i < some; i++) {
            if ((uint32_t)RESULTS_OF(i)) {
                fprintf(stderr, "arming: %u\n", (unsigned)(uint32_t)RESULTS_OF(i));
                _exit(98);
            }
            if (regions)
                regions[at + i] = (int)(RESULTS_OF(i) >> 32);
        }
    }
    return armed;
}

PLAIN void switch_on(int region) { ask(SWITCH_ON, (uint64_t)region, 0, 0, SWITCHED_ON); }
PLAIN void switch_off(int region) { ask(SWITCH_OFF, (uint64_t)region, 0, 0, SWITCHED_OFF); }

PLAIN void disarm(int region)
{
    uint32_t outcome = SIGTRAP_BLOCKED;
    /* As above: on a loaded machine a new thread may wait long for a processor. */
    for (int tries = 0; tries < 250 && outcome == SIGTRAP_BLOCKED; tries++)
        outcome = (uint32_t)ask(DISARM, (uint64_t)region, 0, 0, DISARMED)[2];
    if (outcome) {
        fprintf(stderr, "disarming: %u\n", (unsigned)outcome);
        _exit(97);
    }
}

/* Everything on. Answers the number of functions. */
PLAIN int switch_all_on(int *regions)
{
    int count = function_count();
    if (arm(0, count, regions) != count)
        fail("not all armed");
    for (int at = 0; at < count; at++)
        switch_on(regions[at]);
    return count;
}

/* Region of the function at this address. */
PLAIN int region_of(const void *function, const int *regions)
{
    for (int at = 0; at < function_count(); at++) {
        uintptr_t distance = __start___mcount_loc[at] - (uintptr_t)function;
        if (distance < 8)
            return regions[at];
    }
    fail("no such function");
    return 0;
}

/* Visits of a function in all nodes of all threads, and its ticks. */
PLAIN uint64_t visits_of(int region, uint64_t *ticks)
{
    uint64_t sum = 0, time = 0;
    uint32_t slots = *(uint32_t *)(base + SLOT_COUNT);
    for (uint32_t slot = 0; slot < slots; slot++) {
        char *start = base + SLOTS + slot * (uintptr_t)SLOT_SIZE;
        uint32_t nodes = *(uint32_t *)(start + HEAD_NODES);
        for (uint32_t node = 3; node < nodes; node++) {
            uint64_t *words = (uint64_t *)(start + NODES + 64 * (uintptr_t)node);
            if (*(uint32_t *)((char *)words + NODE_REGION) == (uint32_t)region) {
                sum += words[0];
                time += words[1];
            }
        }
    }
    if (ticks)
        *ticks = time;
    return sum;
}

/* Nodes of the first thread, and its anomalies. */
PLAIN uint32_t node_count(void) { return *(uint32_t *)(base + SLOTS + HEAD_NODES); }
PLAIN uint64_t anomaly_count(void) { return *(uint64_t *)(base + SLOTS + HEAD_ANOMALIES); }
PLAIN uint32_t current_node(void) { return *(uint32_t *)(base + SLOTS + 4); }

#ifdef __cplusplus
}
#endif
#endif
