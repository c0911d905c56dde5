/* Coroutines that take turns inside functions, several at once. */
#include "rounds.h"

#include <ucontext.h>

enum { COROUTINES = 5, STACK = 256 << 10 };
static ucontext_t home, contexts[COROUTINES];
static char *stacks[COROUTINES];
static int done[COROUTINES];

__attribute__((noinline)) static long walk(int self, int depth)
{
    volatile long kept = depth * self;
    if (depth == 0)
        return 1;
    if (depth % 3 == 0)
        swapcontext(&contexts[self], &home);
    return walk(self, depth - 1) + kept;
}

static void body(int self)
{
    for (int turn = 0; turn < 10; turn++)
        note_number(walk(self, 10 + self));
    done[self] = 1;
}

static void work(void)
{
    for (int self = 0; self < COROUTINES; self++) {
        getcontext(&contexts[self]);
        contexts[self].uc_stack.ss_sp = stacks[self];
        contexts[self].uc_stack.ss_size = STACK;
        contexts[self].uc_link = &home;
        done[self] = 0;
        makecontext(&contexts[self], (void (*)(void))body, 1, self);
    }
    for (int open = COROUTINES; open;) {
        open = 0;
        for (int self = 0; self < COROUTINES; self++) {
            if (done[self])
                continue;
            open++;
            swapcontext(&home, &contexts[self]);
        }
    }
}

int main(void)
{
    for (int self = 0; self < COROUTINES; self++)
        stacks[self] = malloc(STACK);
    return rounds_of(work);
}
