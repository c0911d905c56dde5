/* A program with functions whose first bytes are several instructions, and with one that is reached over
 * an island, armed and disarmed while threads run through them.
 *
 * build: as calls.c
 * run: several
 * expect: no wrong result, and the compiler's bytes in the end
 */
#include "daemon.h"

#include <pthread.h>

/* push, push, push: three places to stand between. The fourth instruction is displaced, too. */
__asm__(".text\n.balign 32\n.globl pushes\n.type pushes,@function\npushes:\n"
        "push %rbp\npush %rbx\npush %rcx\nlea 1(%rdi),%rax\n"
        "pop %rcx\npop %rbx\npop %rbp\nret\n.size pushes,.-pushes\n"
        /* Two bytes, and behind the function some that nobody executes. */
        ".balign 32\n.globl brief\n.type brief,@function\nbrief:\n"
        "xor %eax,%eax\nlea 2(%rdi),%rax\nret\n.globl pad\npad: .fill 8,1,0xcc\n.size brief,.-brief\n"
        ".globl __fentry__\n__fentry__: ret\n");
extern long pushes(long), brief(long);
extern const char pad[];

static volatile int is_over;
static long wrong, rounds[4];

PLAIN void *run(void *argument)
{
    long *own = argument;
    while (!is_over) {
        for (long i = 0; i < 1000; i++)
            if (pushes(i) != i + 1 || brief(i) != i + 2)
                __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
        ++*own;
    }
    return NULL;
}

PLAIN void finish(struct record *record, int number, const void *copied, int length)
{
    record->word = ARENA + 8 * (uintptr_t)number;
    record->stub = ARENA + DATA_SIZE + 128 * (uintptr_t)number;
    record->copy = record->stub + 8;
    record->code_length = 8 + (uint64_t)length + 5;
    record->thunk = 1;
    uint32_t through = (uint32_t)(record->word - record->stub - 6);
    uint64_t back = jump(record->copy + (uint64_t)length, record->site + (uint64_t)length);
    memcpy(record->code, "\xff\x25", 2);
    memcpy(record->code + 2, &through, 4);
    memcpy(record->code + 6, "\x66\x90", 2);
    memcpy(record->code + 8, copied, (size_t)length);
    memcpy(record->code + 8 + length, &back, 5);
}

PLAIN void plan_pushes(struct record *record)
{
    memset(record, 0, sizeof *record);
    record->entry = record->site = (uintptr_t)pushes;
    record->length = 5;
    finish(record, 0, (void *)pushes, 7);
    memcpy(&record->original, (void *)pushes, 5);
    record->patched = jump(record->site, record->stub);
    record->boundary_count = 4;
    record->boundaries[0] = 0x0303020201010000ul;
}

PLAIN void plan_brief(struct record *record)
{
    memset(record, 0, sizeof *record);
    record->entry = record->site = (uintptr_t)brief;
    record->length = 2;
    finish(record, 1, (void *)brief, 2);
    memcpy(&record->original, (void *)brief, 2);
    record->island = (uintptr_t)pad;
    /* Of a disarmed site the island may still be there. */
    memset(&record->island_original, 0xcc, 5);
    record->island_patched = jump(record->island, record->stub);
    record->patched = 0xeb | (record->island - record->site - 2) << 8;
}

PLAIN double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(void)
{
    int is_measured = play_daemon();
    pthread_t workers[4];
    char before[64], island[8];
    memcpy(before, (void *)pushes, 64);
    memcpy(island, pad, 8);
    for (int i = 0; i < 4; i++)
        pthread_create(&workers[i], NULL, run, &rounds[i]);
    long armed = 0, refused = 0, kept = 0, first = 0, second = 0;
    double end = seconds() + 2;
    while (is_measured && (seconds() < end || !first || !second) && seconds() < end + 60) {
        plan_pushes(RECORDS);
        plan_brief(RECORDS + 1);
        ask(ARM, 0, 2, 0, ARMED);
        for (int i = 0; i < 2; i++) {
            if ((uint32_t)RESULTS_OF(i)) {
                if ((uint32_t)RESULTS_OF(i) < 7)
                    fail("refused for another reason");
                fprintf(stderr, refused % 20 ? "" : "not armed: %u\n", (unsigned)RESULTS_OF(i));
                refused++;
                continue;
            }
            armed++;
            *(i ? &second : &first) = (long)(RESULTS_OF(i) >> 32);
            switch_on((int)(RESULTS_OF(i) >> 32));
        }
        if (ask(DISARM, 0, 0, 0, DISARMED)[2])
            kept++;
    }
    is_over = 1;
    for (int i = 0; i < 4; i++)
        pthread_join(workers[i], NULL);
    if (is_measured) {
        for (int tries = 0; tries < 100 && ask(DISARM, 0, 0, 0, DISARMED)[2]; tries++)
            fprintf(stderr, tries % 20 ? "" : "not disarmed: %lu\n", (unsigned long)answer[2]);
        fprintf(stderr, "%ld armed, %ld refused, %ld islands kept, %lu and %lu visits\n", armed, refused,
                kept, (unsigned long)visits_of((int)first, NULL),
                (unsigned long)visits_of((int)second, NULL));
        if (!first || !second || !visits_of((int)second, NULL))
            fail("never armed");
    }
    int changed = memcmp(before, (void *)pushes, 64) || memcmp(island, pad, 8);
    printf("%ld wrong, %s\n", wrong, changed ? "changed" : "as before");
    return 0;
}
