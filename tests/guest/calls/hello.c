/* Prints a line through a stream; returns 6. */
#include <stdio.h>

int main(void) {
    puts("hello");
    return 6;
}
