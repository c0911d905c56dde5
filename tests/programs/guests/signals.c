/* A program that a timer interrupts all the time; its handler does I/O and jumps out at every tenth signal.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls signals.c -o signals
 * run: signals [signals]
 * expect: its line and exit status 0, however the signals fall
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile sig_atomic_t handled, jumps, may_jump;
static int null;

static void on_timer(int signal)
{
    char byte = (char)signal;
    handled += write(null, &byte, 1) == 1;
    if (may_jump && handled % 10 == 0) {
        jumps++;
        siglongjmp(back, 1);
    }
}

static void set_timer(long microseconds)
{
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Only calls from which a handler may jump out. */
static void work_until(int signals, int zero)
{
    char bytes[256];
    while (handled < signals) {
        if (read(zero, bytes, sizeof bytes) < 0 || write(null, bytes, sizeof bytes) < 0)
            continue;
    }
}

int main(int argc, char **argv)
{
    int signals = argc > 1 ? atoi(argv[1]) : 1000;
    int zero = open("/dev/zero", O_RDONLY);
    null = open("/dev/null", O_WRONLY);
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    sigsetjmp(back, 1);
    may_jump = 1;
    set_timer(1000);
    work_until(signals, zero);
    may_jump = 0;
    set_timer(0);
    printf("signals: %s handled, %s\n", handled >= signals ? "all" : "some",
           jumps >= signals / 10 - 1 ? "jumped at every tenth" : "jumps missing");
    return 0;
}
