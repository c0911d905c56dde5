/* A program that makes other processes from inside instrumented functions, in every way.
 *
 * build: as calls.c
 * run: processes
 * expect: the children's results, and a parent whose own place is not touched
 */
#include "daemon.h"

#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#define FAR __attribute__((noinline, noclone))

extern char **environ;
static int regions[64];

FAR int leaf(int x) { return x + 1; }
FAR int plain_fork(int depth)
{
    if (depth) {
        int result = plain_fork(depth - 1);
        return leaf(result);
    }
    return fork();
}
FAR int raw_fork(void) { return (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }
FAR int by_vfork(void)
{
    pid_t child = vfork();
    if (child == 0) {
        leaf(1);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    return child;
}
FAR int by_spawn(void)
{
    pid_t child = 0;
    char *arguments[] = { (char *)"true", NULL };
    return posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) ? -1 : child;
}

PLAIN int status_of(pid_t child)
{
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

PLAIN int in_child(void)
{
    int sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += leaf(i);
    return sum == 500500 ? 5 : 6;
}

int main(void)
{
    int is_measured = play_daemon();
    if (is_measured)
        switch_all_on(regions);
    uint32_t root = is_measured ? current_node() : 0;
    for (int i = 0; i < 20; i++) {
        int child = plain_fork(5);
        /* Five returns lie between the fork and here: the child's number grew by five. */
        if (child == 5)
            _exit(in_child());
        printf("fork: %d\n", WEXITSTATUS(status_of(child - 5)));
        child = raw_fork();
        if (child == 0)
            _exit(in_child());
        printf("clone: %d\n", WEXITSTATUS(status_of(child)));
        printf("vfork: %d\n", status_of(by_vfork()));
        printf("spawn: %d\n", status_of(by_spawn()));
        printf("system: %d\n", system("exit 3") >> 8);
        fflush(stdout);
    }
    if (is_measured) {
        uint64_t visits = visits_of(region_of((void *)raw_fork, regions), NULL);
        if (visits != 20 || current_node() != root) {
            fprintf(stderr, "%lu visits, node %u, not %u\n", (unsigned long)visits, current_node(), root);
            return 1;
        }
    }
    return 0;
}
