/* Calls a function often until its input ends; with the word `trap` it has a handler of SIGTRAP and raises one now and then.
 * It counts what does not come out as it should. */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t taken;

static void take(int signal)
{
    (void)signal;
    taken++;
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
    int traps = argc > 1 && strcmp(argv[1], "trap") == 0;
    int raised = 0;
    struct sigaction action = {.sa_handler = take};
    if (traps)
        sigaction(SIGTRAP, &action, NULL);
    puts("ready");
    fflush(stdout);
    struct pollfd input = {.fd = 0, .events = POLLIN};
    double x = 1;
    while (poll(&input, 1, 0) == 0) {
        x = round_of(x);
        if (traps) {
            raise(SIGTRAP);
            raised++;
        }
    }
    printf("%d lost, %s\n", raised - (int)taken, x > 0 ? "done" : "wrong");
    return 0;
}
