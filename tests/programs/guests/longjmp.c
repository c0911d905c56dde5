/* A program that jumps out of three nested regions, then goes on with regions and I/O.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -I<include> longjmp.c -o longjmp
 * run: longjmp
 * expect: its line; the end of the outer region closes what the jump left open, and the anomaly is counted
 */
#include "whyperf.h"

#include <setjmp.h>
#include <stdio.h>

static whyperf_region outer = WHYPERF_REGION("outer");
static whyperf_region middle = WHYPERF_REGION("middle");
static whyperf_region inner = WHYPERF_REGION("inner");
static jmp_buf back;
static volatile int jumping = 1;

__attribute__((noipa)) static void descend(int depth)
{
    whyperf_begin(&inner);
    if (depth > 0)
        descend(depth - 1);
    else if (jumping)
        longjmp(back, 1);
    whyperf_end(&inner);
}

int main(void)
{
    static int jumps;
    for (volatile int round = 0; round < 100; round++) {
        whyperf_begin(&outer);
        if (setjmp(back) == 0) {
            whyperf_begin(&middle);
            descend(round % 5);
            whyperf_end(&middle);
        } else {
            jumps++;
        }
        whyperf_end(&outer);
    }
    printf("longjmp: %d jumps\n", jumps);
    return 0;
}
