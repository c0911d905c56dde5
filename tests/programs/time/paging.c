/* One thread computes and touches memory in turns; each page of that arrives only when another process has let some milliseconds pass. The
 * program says at the end, as shares of the life of its thread, what it did by clocks of its own.
 *
 * build: cc -O2 paging.c -o paging
 * run: paging seconds
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../seconds.h"
#include "delayed.h"

enum { PAGE = 4096, PAGES = 1 << 16 };

static const double MOMENT = 0.008;

static double now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

/* Brings each page that is asked for, late; until nobody can ask any more. */
static int bring(int faults)
{
    static char page[PAGE];
    struct uffd_msg asked;
    while (read(faults, &asked, sizeof asked) == sizeof asked) {
        usleep(12000);
        struct uffdio_copy copy = {
            .dst = asked.arg.pagefault.address & ~(PAGE - 1ull), .src = (unsigned long)page, .len = PAGE};
        if (ioctl(faults, UFFDIO_COPY, &copy) != 0)
            return 0;
    }
    return 0;
}

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 3.0;
    int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    char *memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register all = {
        .range = {(unsigned long)memory, (unsigned long)PAGES * PAGE}, .mode = UFFDIO_REGISTER_MODE_MISSING};
    if (faults < 0 || memory == MAP_FAILED || ioctl(faults, UFFDIO_API, &api) != 0 || ioctl(faults, UFFDIO_REGISTER, &all) != 0) {
        perror("userfaultfd");
        return 1;
    }
    pid_t child = fork();
    if (child == 0)
        _exit(bring(faults));
    double begin = now(), computed = 0, paged = 0, delay = 0;
    volatile double sum = 0.0;
    for (int at = 0; at < PAGES && now() < begin + length; at++) {
        double since = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < since + MOMENT)
            for (int i = 1; i < 1000; i++)
                sum += 1.0 / i;
        double first = now(), ran = seconds_of(CLOCK_THREAD_CPUTIME_ID), waited = delayed();
        sum += memory[(size_t)at * PAGE];
        paged += (now() - first) - (seconds_of(CLOCK_THREAD_CPUTIME_ID) - ran) - (delayed() - waited);
    }
    computed = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    delay = delayed();
    double lived = now() - begin;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    printf("process %d\n", (int)getpid());
    printf("computing %.4f\nprocessor %.4f\npaging %.4f\n", computed / lived, delay / lived, paged / lived);
    return 0;
}
