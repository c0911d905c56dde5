/* What happens at a trap is the program's to say, and to ask: by default, in a handler of its own, not at all. */
#include "rounds.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static volatile sig_atomic_t trapped;

static void handle(int number)
{
    trapped += number == SIGTRAP;
}

__attribute__((noinline)) static double computed(int n)
{
    double sum = 0;
    for (int at = 1; at < n; at++)
        sum += sin(at);
    return sum;
}

/* Long enough for functions to be switched meanwhile. */
static void pass_time(void)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        volatile double sink = computed(2000);
        (void)sink;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 50);
}

static void note_action(void)
{
    struct sigaction now;
    sigaction(SIGTRAP, NULL, &now);
    note_number(now.sa_handler == SIG_DFL ? 0 : now.sa_handler == SIG_IGN ? 1 : now.sa_handler == handle ? 2 : 3);
    note_number(now.sa_flags & (SA_SIGINFO | SA_NODEFER | SA_RESTART | SA_ONSTACK));
    note_number(sigismember(&now.sa_mask, SIGUSR1));
}

/* How a child ends that meets a trap of its own. */
static void note_child(void)
{
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        __asm__ volatile("int3");
        _exit(3);
    }
    waitpid(child, &status, 0);
    note_number(status & 0x7f);
}

static void work(void)
{
    struct sigaction before, own = { .sa_handler = handle, .sa_flags = SA_RESTART };
    sigaddset(&own.sa_mask, SIGUSR1);
    sigaction(SIGTRAP, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
    pass_time();
    note_action();
    note_child();
    sigaction(SIGTRAP, &own, &before);
    pass_time();
    note_action();
    int count = trapped;
    raise(SIGTRAP);
    __asm__ volatile("int3");
    note_number(trapped - count);
    sigaction(SIGTRAP, &before, NULL);
    pass_time();
    note_action();
    note_child();
    note_number(signal(SIGTRAP, handle) == SIG_DFL);
    note_number(signal(SIGTRAP, SIG_IGN) == handle);
    note_number(system("kill -TRAP $$; exit 7"));
    note_number(signal(SIGTRAP, SIG_DFL) == SIG_IGN);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        sigaction(number, NULL, &before);
        note_number(before.sa_handler == SIG_DFL);
    }
}

int main(void)
{
    return rounds_of(work);
}
