/* A thread reads memory whose pages are not there: each is fetched when it is touched, which takes 20 ms. A process of its own, which is not
 * measured, fetches them, as the kernel does from a device.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls paging.c -o paging
 * run: paging [seconds]
 * hypothesis: Paging
 * function: touch
 * object: none
 * shows: Paging
 * refutes: WaitingForProcessors, PollingWhileOthersWait, OtherPrograms, BlockedElsewhere, CPUbound
 */
#define _GNU_SOURCE
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
enum { PAGE = 4096, PAGES = 1 << 14 };

/* The pager: answers each fault after 20 ms, until it is killed, or who touches the pages is. */
static int fetch(int faults)
{
    struct uffd_msg fault;
    while (read(faults, &fault, sizeof fault) == sizeof fault) {
        usleep(20000);
        struct uffdio_zeropage page = {{fault.arg.pagefault.address & -PAGE, PAGE}, 0, 0};
        ioctl(faults, UFFDIO_ZEROPAGE, &page);
    }
    return 1;
}

static pid_t pager(const char *program, int faults)
{
    char number[16];
    snprintf(number, sizeof number, "%d", faults);
    pid_t child = fork();
    if (child == 0) {
        char *environment[] = {NULL};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execle(program, program, "fetch", number, (char *)NULL, environment);
        _exit(1);
    }
    return child;
}

static int faults_of(char *memory)
{
    int faults = (int)syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY);
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register all = {{(unsigned long)memory, (unsigned long)PAGE * PAGES}, UFFDIO_REGISTER_MODE_MISSING, 0};
    if (faults < 0 || ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &all)) {
        perror("paging: userfaultfd");
        exit(1);
    }
    return faults;
}

OWN_NAME static int touch(const volatile char *page)
{
    return *page;
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "fetch"))
        return fetch(atoi(argv[2]));
    double end = seconds_of(CLOCK_MONOTONIC) + (argc > 1 ? atof(argv[1]) : 6.0);
    char *memory = mmap(NULL, (size_t)PAGE * PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pid_t child = pager("/proc/self/exe", faults_of(memory));
    int sum = 0;
    for (int page = 0; page < PAGES && seconds_of(CLOCK_MONOTONIC) < end; page++)
        sum += touch(memory + (size_t)page * PAGE);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    printf("paging: %s\n", sum == 0 ? "zeros" : "other");
    return 0;
}
