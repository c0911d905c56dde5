/* A program whose forked child only computes: it calls nothing that anybody could see.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls fork_and_compute.c -o fork_and_compute
 * run: fork_and_compute [SUFFIX]
 * expect: "the child computed" and exit status 0. With a suffix such as .region the child goes on until it has mapped a file
 * of its own whose name has its number and ends so, and then for half a second more of its own time.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile double result;

static __attribute__((noinline)) void compute(void)
{
    for (;;)
        for (int i = 0; i < 1000000; i++)
            result += i * 0.5;
}

static int has_mapped(pid_t child, const char *suffix)
{
    char name[64], line[4096], own[64];
    int found = 0;
    snprintf(name, sizeof name, "/proc/%d/maps", (int)child);
    snprintf(own, sizeof own, "/%d-", (int)child);
    FILE *maps = fopen(name, "r");
    while (maps && !found && fgets(line, sizeof line, maps)) {
        const char *file = strstr(line, own);
        found = file && strstr(file, suffix);
    }
    if (maps)
        fclose(maps);
    return found;
}

static double computed(pid_t child)
{
    clockid_t clock;
    struct timespec time = {0, 0};
    if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int count, char **words)
{
    const struct timespec pause = {0, 5000000};
    pid_t child = fork();
    if (child == 0)
        compute();
    while (count > 1 && !has_mapped(child, words[1]))
        nanosleep(&pause, NULL);
    double until = computed(child) + 0.5;
    while (computed(child) < until)
        nanosleep(&pause, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    puts("the child computed");
    return 0;
}
