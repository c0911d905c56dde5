/* A program that closes every descriptor it might have, opens files again and counts on the lowest numbers.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls close_all.c -o close_all
 * run: close_all
 * expect: two lines, exit status 0; a descriptor held by somebody else would make it 1
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int read_some(int expected)
{
    char bytes[64];
    int file = open("/dev/zero", O_RDONLY);
    int good = file == expected && read(file, bytes, sizeof bytes) == (ssize_t)sizeof bytes;
    return good && close(file) == 0;
}

int main(void)
{
    printf("close_all: before\n");
    fflush(stdout);
    for (int i = 3; i < 1024; i++)
        close(i);
    int good = read_some(3);
    printf("close_all: after, %s\n", good ? "descriptor 3 is free" : "descriptor 3 is taken");
    fflush(stdout);
    for (int i = 0; i < 3; i++)
        close(i);
    for (int i = 0; i < 1000; i++)
        good = read_some(0) && good;
    _exit(good ? 0 : 1);
}
