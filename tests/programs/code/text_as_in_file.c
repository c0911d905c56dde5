/* A program that works, for longer if its code was never changed until then, and rests until its code and that of its libraries is what their files hold, or for so long.
 *
 * build: cc -O2 text_as_in_file.c
 * run: text_as_in_file SECONDS_OF_WORK MOST_SECONDS_OF_REST
 * prints: what it computed
 * says at its end: how many bytes differ, and how many differed at most while it worked
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa, noinline))

OWN_NAME double grind(double x, int rounds)
{
    for (int i = 0; i < rounds; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    return x;
}
OWN_NAME double first(double x) { return grind(x, 30000) + 1; }
OWN_NAME double second(double x) { return grind(x, 20000) + 2; }
OWN_NAME double third(double x) { return grind(x, 10000) + 3; }
OWN_NAME double work(double x) { return third(second(first(x)) / 2) / 3; }

/* Bytes of this process's code that are not those of the files. */
static long differences(void)
{
    char line[8192], path[4096], mode[8], bytes[65536];
    unsigned long start, end, offset;
    long differ = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        path[0] = 0;
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095s", &start, &end, mode, &offset, path) < 5)
            continue;
        if (mode[2] != 'x' || path[0] != '/' || strstr(path, "libwhyperf"))
            continue;
        int file = open(path, O_RDONLY);
        ssize_t got;
        for (unsigned long at = start; file >= 0 && at < end; at += (unsigned long)got) {
            unsigned long wanted = end - at < sizeof bytes ? end - at : sizeof bytes;
            got = pread(file, bytes, wanted, (off_t)(offset + at - start));
            if (got <= 0)
                break;
            for (ssize_t i = 0; i < got; i++)
                differ += bytes[i] != ((volatile char *)at)[i];
        }
        if (file >= 0)
            close(file);
    }
    if (maps)
        fclose(maps);
    return differ;
}

int main(int argc, char **argv)
{
    double working = argc > 1 ? atof(argv[1]) : 3, resting = argc > 2 ? atof(argv[2]) : 20, x = 0.5;
    long most = 0, left = 0, steps = 0;
    double begin = seconds_of(CLOCK_MONOTONIC);
    for (double end = begin + working; seconds_of(CLOCK_MONOTONIC) < (most ? end : end + resting); steps++) {
        x = work(x);
        if (steps % 300 == 0) {
            left = differences();
            most = left > most ? left : most;
        }
    }
    /* So seldom that nobody takes the looking for work. */
    for (double end = seconds_of(CLOCK_MONOTONIC) + resting; (left = differences()) != 0 && seconds_of(CLOCK_MONOTONIC) < end; usleep(1000000))
        most = left > most ? left : most;
    printf("text_as_in_file: %s\n", x > 0 ? "positive" : "negative");
    fprintf(stderr, "%ld bytes differ, %ld at most\n", left, most);
    return 0;
}
