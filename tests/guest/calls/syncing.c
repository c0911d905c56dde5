/* Calls a function that a tool may stand in for. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    printf("%d", fsync(-1));
    printf(" %d\n", errno);
    return 0;
}
