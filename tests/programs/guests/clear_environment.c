/* A program that clears its environment, fills it with a thousand variables and starts itself again.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls clear_environment.c -o clear_environment
 * run: clear_environment
 * expect: its child sees exactly 1000 variables: nothing is added to an environment that the program made
 */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int variables(void)
{
    int count = 0;
    while (environ && environ[count])
        count++;
    return count;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "child") == 0) {
        printf("clear_environment: the child has %d variables\n", variables());
        return 0;
    }
    clearenv();
    printf("clear_environment: cleared to %d variables\n", variables());
    for (int i = 0; i < 1000; i++) {
        char name[32], value[64];
        snprintf(name, sizeof name, "VARIABLE_%d", i);
        snprintf(value, sizeof value, "value of number %d", i);
        setenv(name, value, 1);
    }
    printf("clear_environment: filled to %d variables\n", variables());
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "clear_environment", "child", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
