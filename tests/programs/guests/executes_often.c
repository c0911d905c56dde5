/* A program that becomes itself again all the time, each time by another function, with a name that tells nothing of it.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls executes_often.c -o executes_often
 * run: executes_often [milliseconds]
 * expect: its line: it went on to the end
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    char end[40], round[40];
    double last = argc > 2 ? atof(argv[2]) : now() + (argc > 1 ? atof(argv[1]) : 400);
    long count = argc > 3 ? atol(argv[3]) : 0;
    for (double begin = now(); now() < begin + (double)(count % 7);) {
    }
    if (now() > last) {
        printf("executes_often: it went on to the end\n");
        return 0;
    }
    snprintf(end, sizeof end, "%f", last);
    snprintf(round, sizeof round, "%ld", count + 1);
    char *words[] = {argv[0], "0", end, round, NULL};
    const char *self = "/proc/self/exe", *path = realpath(self, NULL);
    switch (count % 7) {
    case 0: execl(path, argv[0], "0", end, round, (char *)NULL); break;
    case 1: execle(path, argv[0], "0", end, round, (char *)NULL, environ); break;
    case 2: execlp(path, argv[0], "0", end, round, (char *)NULL); break;
    case 3: execv(path, words); break;
    case 4: execve(path, words, environ); break;
    case 5: execvp(path, words); break;
    default: execvpe(path, words, environ); break;
    }
    return 3;
}
