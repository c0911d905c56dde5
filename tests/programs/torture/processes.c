/* Processes made by every call there is, and what they print and return. */
#include "rounds.h"

#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static void noted_end(pid_t child)
{
    int status = -1;
    waitpid(child, &status, 0);
    note_number(status);
}

__attribute__((noinline)) static int nested(int depth)
{
    volatile int kept = depth;
    if (depth)
        return nested(depth - 1) + kept;
    pid_t child = fork();
    if (child == 0) {
        char text[64];
        snprintf(text, sizeof text, "%g", 1.5 * 4);
        _exit((int)strtod(text, NULL));
    }
    noted_end(child);
    return 0;
}

__attribute__((noinline)) static pid_t started(const char *command)
{
    pid_t child = vfork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    return child;
}

static void work(void)
{
    note_number(nested(5));
    noted_end(started("exit 4"));
    char *words[] = { "sh", "-c", "exit 5", NULL };
    pid_t child = 0;
    note_number(posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ));
    noted_end(child);
    note_number(system("exit 6"));
    char line[64] = "";
    FILE *pipe = popen("echo seven", "r");
    if (pipe && fgets(line, sizeof line, pipe))
        note(line, strlen(line));
    note_number(pipe ? pclose(pipe) : -1);
}

int main(void) { return rounds_of(work); }
