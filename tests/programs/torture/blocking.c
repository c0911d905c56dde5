/* Signals are blocked all the time: by threads around short work, in handlers, and while a signal is waited for. */
#include "rounds.h"

#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/time.h>

enum { THREADS = 2, TURNS = 300 };

static volatile sig_atomic_t arrived;

__attribute__((noinline)) static double computed(int n)
{
    char text[64];
    double sum = 0;
    for (int at = 1; at < n; at++) {
        snprintf(text, sizeof text, "%d", at);
        sum += sin(strtod(text, NULL)) + (double)strlen(text);
    }
    return sum;
}

static void handle(int number)
{
    volatile double sink = computed(number > 0 ? 8 : 4);
    (void)sink;
    arrived++;
}

/* What libraries do around the making of processes and threads. */
static void *block(void *result)
{
    sigset_t all, before, now;
    long long sum = 0;
    sigfillset(&all);
    for (int turn = 0; turn < TURNS; turn++) {
        pthread_sigmask(SIG_SETMASK, &all, &before);
        sum += (long long)(1000 * computed(20));
        pthread_sigmask(SIG_SETMASK, &before, &now);
        sum += sigismember(&now, SIGTRAP) + 2 * sigismember(&before, SIGTRAP);
        sigprocmask(SIG_BLOCK, &all, NULL);
        sum += (long long)(1000 * computed(10));
        sigprocmask(SIG_UNBLOCK, &all, NULL);
    }
    *(long long *)result = sum;
    return NULL;
}

/* A signal that is only let in while it is waited for; its handler runs with all others blocked. */
static void wait_for_some(void)
{
    sigset_t alarm, waiting;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    sigfillset(&waiting);
    sigdelset(&waiting, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    for (int turn = 0; turn < 3; turn++) {
        long before = arrived;
        while (arrived == before)
            sigsuspend(&waiting);
        while (arrived == before + 1)
            ppoll(NULL, 0, NULL, &waiting);
        while (arrived == before + 2)
            pselect(0, NULL, NULL, NULL, NULL, &waiting);
    }
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
}

static void work(void)
{
    pthread_t threads[THREADS];
    long long sums[THREADS];
    for (int at = 0; at < THREADS; at++)
        pthread_create(&threads[at], NULL, block, &sums[at]);
    wait_for_some();
    for (int at = 0; at < THREADS; at++) {
        pthread_join(threads[at], NULL);
        note_number(sums[at]);
    }
    struct sigaction now;
    sigaction(SIGALRM, NULL, &now);
    note_number(sigismember(&now.sa_mask, SIGTRAP) + 2 * sigismember(&now.sa_mask, SIGINT));
    note_number(now.sa_handler == handle);
}

int main(void)
{
    struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
    sigfillset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = { { 0, 300 }, { 0, 300 } };
    setitimer(ITIMER_REAL, &often, NULL);
    int status = rounds_of(work);
    setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
    return status;
}
