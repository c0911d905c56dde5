/* A program that starts others by fork, vfork, posix_spawn, system and popen; its children do I/O.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls fork_exec.c -o fork_exec
 * run: fork_exec
 * expect: its six lines in order and exit status 0
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int write_and_read(int rounds)
{
    char path[] = "/tmp/fork_exec.XXXXXX", byte = 'x';
    int file = mkstemp(path), good = file >= 0;
    unlink(path);
    for (int i = 0; i < rounds; i++)
        good = good && pwrite(file, &byte, 1, i) == 1 && pread(file, &byte, 1, i) == 1;
    close(file);
    return good;
}

static void report(const char *route, pid_t child)
{
    int status = -1;
    waitpid(child, &status, 0);
    printf("fork_exec: %s %d\n", route, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    fflush(stdout);
}

static pid_t by_fork(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(write_and_read(1000) ? 11 : 1);
    return child;
}

static pid_t grandchild_by_fork(void)
{
    pid_t child = fork();
    if (child == 0) {
        int status = 0;
        waitpid(by_fork(), &status, 0);
        exit(WEXITSTATUS(status) + 1);
    }
    return child;
}

static pid_t by_vfork(void)
{
    pid_t child = vfork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "exit 13", (char *)NULL);
        _exit(127);
    }
    return child;
}

static pid_t by_spawn(void)
{
    pid_t child = -1;
    char *arguments[] = {"sh", "-c", "cat /dev/null; exit 14", NULL};
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) != 0)
        return -1;
    return child;
}

int main(void)
{
    char line[64] = "nothing";
    int good = write_and_read(1000);
    report("fork", by_fork());
    report("fork in a fork", grandchild_by_fork());
    report("vfork", by_vfork());
    report("posix_spawn", by_spawn());
    printf("fork_exec: system %d\n", WEXITSTATUS(system("echo data | cat >/dev/null; exit 15")));
    fflush(stdout);
    FILE *pipe = popen("echo 16", "r");
    if (pipe && fgets(line, sizeof line, pipe))
        printf("fork_exec: popen %s", line);
    good = pipe && pclose(pipe) == 0 && write_and_read(1000) && good;
    return good ? 0 : 1;
}
