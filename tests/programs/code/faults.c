/* Touches memory that is not mapped yet in two functions, one three times as much as the other, computes between them, and gives up its
 * processor now and then. It says how many page faults it had, in the two functions and in all, and how often it was switched, by the
 * system's own count of its one thread (getrusage): the agent of a measuring library is no thread of the program.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#define PAGE 4096L

static volatile double result;
static long counted[2];

static long faults(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

static void touch(long pages) {
    char *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
    for (long page = 0; page < pages; page++) {
        memory[page * PAGE] = 1;
    }
    munmap(memory, pages * PAGE);
}

__attribute__((noinline, noclone)) void touch_little(void) {
    long before = faults();
    touch(100);
    counted[0] += faults() - before;
}

__attribute__((noinline, noclone)) void touch_much(void) {
    long before = faults();
    touch(300);
    counted[1] += faults() - before;
}

__attribute__((noinline, noclone)) void compute(void) {
    for (int step = 0; step < 100000; step++) {
        result = result * 1.0001 + 1.0;
    }
}

int main(int count, char **words) {
    int rounds = count > 1 ? atoi(words[1]) : 1000;
    struct timespec moment = {0, 1000000};
    for (int round = 0; round < rounds; round++) {
        touch_little();
        touch_much();
        compute();
        if (round % 10 == 0) {
            nanosleep(&moment, NULL);
        }
    }
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    printf("%ld %ld %ld %ld\n", counted[0], counted[1], usage.ru_minflt + usage.ru_majflt, usage.ru_nvcsw + usage.ru_nivcsw);
    return 0;
}
