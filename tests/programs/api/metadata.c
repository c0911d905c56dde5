/* What a program says of itself: a value that changes, one that is said again, names that are odd, and more keys than there is room for.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -I<include> metadata.c -o metadata
 * run: metadata
 * expect: its line; "mesh" is "fine", "empty" is "", the odd one is as it stands here; 128 keys are kept, and 100 more are told to be left out
 */
#include "whyperf.h"

#include <stdio.h>

int main(void)
{
    char key[16];
    whyperf_metadata("mesh", "coarse");
    for (int i = 0; i < 100000; i++)
        whyperf_metadata("mesh", "fine");
    whyperf_metadata("empty", "");
    whyperf_metadata("odd \033[31m<&\">\n", "a\tb</value>\\");
    whyperf_metadata("", "a key is no empty text");
    whyperf_metadata(NULL, NULL);
    for (int i = 0; i < 225; i++) {
        snprintf(key, sizeof key, "key %d", i);
        whyperf_metadata(key, "value");
    }
    printf("metadata: said\n");
    return 0;
}
