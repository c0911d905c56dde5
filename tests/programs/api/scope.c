/* Scopes in C, left at the end of the block, by continue, by break and by return.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -I<include> scope.c -o scope
 * run: scope
 * expect: its line; 100 visits of "search", 550 of "look" under it, none left open
 */
#include "whyperf.h"

#include <stdio.h>

__attribute__((noipa)) static int search(int wanted)
{
    WHYPERF_SCOPE("search");
    for (int i = 0; i < 10; i++) {
        WHYPERF_SCOPE("look");
        if (i < wanted)
            continue;
        if (wanted == 5)
            break;
        return i;
    }
    return -1;
}

int main(void)
{
    int sum = 0;
    for (int round = 0; round < 100; round++)
        sum += search(round % 10);
    printf("scope: sum %d\n", sum);
    return 0;
}
