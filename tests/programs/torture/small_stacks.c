/* Handlers of signals on stacks of 8 KiB, threads on the smallest stacks there are, memory that is nobody's below. */
#include "rounds.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

enum { STACK = 8192, GUARD = 65536, THREADS = 3 };

static volatile sig_atomic_t arrived;

__attribute__((noinline)) static double square(double x)
{
    return x * x + 1;
}

__attribute__((noinline)) static double squares(int n)
{
    double sum = 0;
    for (int at = 0; at < n; at++)
        sum += square(at);
    return sum;
}

static void handle(int number)
{
    volatile double sink = squares(number);
    (void)sink;
    arrived++;
}

static int compare(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

static void *sort(void *result)
{
    int numbers[100];
    char text[64];
    for (int at = 0; at < 100; at++)
        numbers[at] = at * 7919 % 101;
    qsort(numbers, 100, sizeof numbers[0], compare);
    snprintf(text, sizeof text, "%.9f", sin(numbers[7]) + squares(200));
    *(double *)result = strtod(text, NULL);
    return NULL;
}

static void work(void)
{
    pthread_attr_t smallest;
    pthread_t threads[THREADS];
    double results[THREADS];
    pthread_attr_init(&smallest);
    pthread_attr_setstacksize(&smallest, PTHREAD_STACK_MIN);
    /* The threads have no other stack for the signal. */
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    for (int at = 0; at < THREADS; at++)
        pthread_create(&threads[at], &smallest, sort, &results[at]);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    for (int at = 0; at < THREADS; at++) {
        pthread_join(threads[at], NULL);
        note_number((long long)(1000 * results[at]));
    }
    double sum = 0;
    for (long until = arrived + 20; arrived < until;)
        sum = squares(2000);
    note_number((long long)sum);
}

int main(void)
{
    char *memory = mmap(NULL, GUARD + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory, GUARD, PROT_NONE);
    stack_t other = { .ss_sp = memory + GUARD, .ss_size = STACK };
    sigaltstack(&other, NULL);
    struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK | SA_RESTART };
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = { { 0, 300 }, { 0, 300 } };
    setitimer(ITIMER_REAL, &often, NULL);
    int status = rounds_of(work);
    setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
    return status;
}
