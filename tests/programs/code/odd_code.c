/* Takes the time in code of odd origin, named by the first argument:
 * `deleted`: its own file is gone; `replaced`: the file of its library is another one by now; `memory`: its library is a file in memory
 * alone; `made`: it writes the code itself.
 *
 * build: cc -O2 odd_code.c -o odd_code -ldl
 * run: odd_code deleted|replaced|memory|made library [seconds]
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa, noinline))

typedef double (*step)(double);

OWN_NAME double heavy(double x)
{
    for (int i = 0; i < 40000; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    return x;
}

static step loaded(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    return library ? (step)dlsym(library, "grinding_step") : NULL;
}

/* The library as a file that no folder has. */
static step from_memory(const char *path)
{
    char bytes[1 << 16], name[32];
    int from = open(path, O_RDONLY), to = memfd_create("grinding", 0);
    ssize_t length;
    while ((length = read(from, bytes, sizeof bytes)) > 0)
        if (write(to, bytes, (size_t)length) != length)
            return NULL;
    snprintf(name, sizeof name, "/proc/self/fd/%d", to);
    return loaded(name);
}

/* mov $100000, %eax; 1: dec %eax; jnz 1b; ret */
static step made(void)
{
    static const unsigned char code[] = {0xb8, 0xa0, 0x86, 0x01, 0x00, 0xff, 0xc8, 0x75, 0xfc, 0xc3};
    void *place = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(place, code, sizeof code);
    return mprotect(place, 4096, PROT_READ | PROT_EXEC) == 0 ? (step)place : NULL;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    step turn = heavy;
    double end = seconds_of(CLOCK_MONOTONIC) + atof(argv[3]), x = 0.5;
    if (strcmp(argv[1], "deleted") == 0) {
        unlink(argv[0]);
    } else if (strcmp(argv[1], "replaced") == 0) {
        turn = loaded(argv[2]);
        char other[4096];
        snprintf(other, sizeof other, "%s.other", argv[2]);
        int file = open(other, O_CREAT | O_WRONLY, 0755);
        if (write(file, "something else altogether", 25) != 25 || rename(other, argv[2]) != 0)
            return 3;
    } else if (strcmp(argv[1], "memory") == 0) {
        turn = from_memory(argv[2]);
    } else {
        turn = made();
    }
    if (turn == NULL)
        return 4;
    while (seconds_of(CLOCK_MONOTONIC) < end)
        x = turn(x);
    printf("odd_code: %s %d\n", argv[1], x > 0.0);
    return 0;
}
