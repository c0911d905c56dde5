/* Calls a function often until its input ends; with the word `trap` it has a handler of SIGTRAP and sends itself one now and then.
 * With the word `fork` SIGUSR1 has it fork a child that only computes, for two minutes at most. With the word `root` it changes
 * its root at the end, to where there is no /proc, and then its code must be the compiler's. It counts what does not come out
 * as it should. */
#define _DEFAULT_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t taken;

static void take(int signal)
{
    (void)signal;
    taken++;
}

static volatile sig_atomic_t asked;

static void ask(int signal)
{
    (void)signal;
    asked = 1;
}

__attribute__((noipa, noinline)) double step(double x)
{
    for (int i = 0; i < 20000; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    return x;
}

__attribute__((noipa, noinline)) double round_of(double x)
{
    for (int i = 0; i < 50; i++)
        x = step(x);
    return x;
}

int main(int argc, char **argv)
{
    unsigned char before[24];
    memcpy(before, (const void *)step, sizeof before);
    int traps = argc > 1 && strcmp(argv[1], "trap") == 0;
    int raised = 0;
    /* Neither the handler nor the call that sends the signal blocks any: the program looks alike at each moment. */
    struct sigaction action = {.sa_handler = take, .sa_flags = SA_NODEFER};
    if (traps)
        sigaction(SIGTRAP, &action, NULL);
    if (argc > 1 && strcmp(argv[1], "fork") == 0)
        signal(SIGUSR1, ask);
    puts("ready");
    fflush(stdout);
    struct pollfd input = {.fd = 0, .events = POLLIN};
    double x = 1;
    pid_t child = 0;
    while (poll(&input, 1, 0) == 0) {
        x = round_of(x);
        if (asked && child == 0 && (child = fork()) == 0) {
            alarm(120);
            for (volatile double idle = 0;;)
                idle += 1;
        }
        if (traps) {
            kill(getpid(), SIGTRAP);
            raised++;
        }
    }
    if (child > 0 && (kill(child, SIGKILL) != 0 || waitpid(child, NULL, 0) != child))
        raised++;
    if (argc > 1 && strcmp(argv[1], "root") == 0)
        raised += chroot(".") != 0 || memcmp(before, (const void *)step, sizeof before) != 0;
    printf("%d lost, %s\n", raised - (int)taken, x > 0 ? "done" : "wrong");
    return 0;
}
