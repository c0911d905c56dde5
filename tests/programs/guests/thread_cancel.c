/* A program that cancels threads while they wait: for a condition, a semaphore, a read and a join.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls thread_cancel.c -o thread_cancel -lpthread
 * run: thread_cancel [rounds]
 * expect: its line: all threads were cancelled and their cleanup ran
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t empty, ready;
static int ends[2];
static int unlocked;

static void unlock(void *unused)
{
    (void)unused;
    unlocked++;
    pthread_mutex_unlock(&lock);
}

static void *wait_condition(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, NULL);
    sem_post(&ready);
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(1);
    return unused;
}

static void *wait_semaphore(void *unused)
{
    sem_post(&ready);
    for (;;)
        sem_wait(&empty);
    return unused;
}

static void *wait_read(void *unused)
{
    char byte;
    sem_post(&ready);
    while (read(ends[0], &byte, 1) >= 0)
        ;
    return unused;
}

static void *wait_join(void *thread)
{
    sem_post(&ready);
    pthread_join(*(pthread_t *)thread, NULL);
    return NULL;
}

static int cancel(pthread_t thread)
{
    void *result = NULL;
    pthread_cancel(thread);
    pthread_join(thread, &result);
    return result == PTHREAD_CANCELED;
}

static int cancel_all_kinds(void)
{
    void *(*const kinds[])(void *) = {wait_condition, wait_semaphore, wait_read, wait_join};
    pthread_t threads[4];
    int cancelled = 0;
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, kinds[i], &threads[1]);
        sem_wait(&ready);
    }
    for (int i = 3; i >= 0; i--)
        cancelled += cancel(threads[i]);
    return cancelled;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 50, cancelled = 0;
    sem_init(&empty, 0, 0);
    sem_init(&ready, 0, 0);
    if (pipe(ends) != 0)
        return 2;
    for (int round = 0; round < rounds; round++)
        cancelled += cancel_all_kinds();
    printf("thread_cancel: %d cancelled, %d cleaned up\n", cancelled, unlocked);
    return 0;
}
