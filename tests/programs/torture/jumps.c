/* Leaves functions by every long jump, and library functions from inside their callbacks. */
#include "rounds.h"

#include <search.h>
#include <setjmp.h>
#include <signal.h>

static jmp_buf plain;
static sigjmp_buf masked;
static int compared;

__attribute__((noinline)) static int descend(int depth, int kind)
{
    volatile int kept = depth;
    if (depth == 0) {
        if (kind == 0)
            longjmp(plain, 7);
        if (kind == 1)
            _longjmp(plain, 8);
        if (kind == 2)
            siglongjmp(masked, 9);
        raise(SIGUSR1);
    }
    return descend(depth - 1, kind) + kept;
}

static void leave(int number) { siglongjmp(masked, number); }

static int compare(const void *one, const void *other)
{
    if (++compared == 50)
        longjmp(plain, 11);
    return *(const int *)one - *(const int *)other;
}

static void work(void)
{
    signal(SIGUSR1, leave);
    for (volatile int turn = 0; turn < 200; turn++) {
        int kind = turn % 4;
        int came = kind < 2 ? setjmp(plain) : sigsetjmp(masked, 1);
        if (came == 0)
            descend(3 + turn % 20, kind);
        note_number(came);
    }
    for (volatile int turn = 0; turn < 20; turn++) {
        int numbers[64];
        for (int at = 0; at < 64; at++)
            numbers[at] = (at * 37) % 64;
        compared = 0;
        int came = setjmp(plain);
        if (came == 0)
            qsort(numbers, 64, sizeof numbers[0], compare);
        note_number(came);
    }
}

int main(void) { return rounds_of(work); }
