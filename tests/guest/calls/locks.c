/* Takes locks of every type in every way, right and wrong, and prints what comes back.
 *
 * build: cc -O2 locks.c -o locks -lpthread
 * run: locks
 * expect: the same text whoever listens
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#define SHOW(call) show(#call, (errno = 77, (long)(call)))

static const struct timespec past = {1, 0}, wrong = {1, 1000000000};

static void show(const char *call, long result)
{
    int error = errno;
    printf("%s: %ld, errno %d\n", call, result, error);
}

static void *die_holding(void *lock)
{
    pthread_mutex_lock(lock);
    return NULL;
}

static void mutex(int type, int robust, int protocol)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t lock;
    pthread_t thread;
    printf("mutex type %d, robust %d, protocol %d\n", type, robust, protocol);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setrobust(&attributes, robust);
    pthread_mutexattr_setprotocol(&attributes, protocol);
    SHOW(pthread_mutex_init(&lock, &attributes));
    SHOW(pthread_mutex_lock(&lock));
    if (type != PTHREAD_MUTEX_NORMAL)
        SHOW(pthread_mutex_lock(&lock));
    SHOW(pthread_mutex_trylock(&lock));
    SHOW(pthread_mutex_timedlock(&lock, &past));
    SHOW(pthread_mutex_timedlock(&lock, &wrong));
    SHOW(pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &past));
    SHOW(pthread_mutex_clocklock(&lock, CLOCK_PROCESS_CPUTIME_ID, &past));
    for (int i = 0; i < 6; i++)
        SHOW(pthread_mutex_unlock(&lock) == 0 || type == PTHREAD_MUTEX_RECURSIVE || i > 0);
    if (robust == PTHREAD_MUTEX_ROBUST) {
        pthread_create(&thread, NULL, die_holding, &lock);
        SHOW(pthread_join(thread, NULL));
        SHOW(pthread_mutex_lock(&lock));
        SHOW(pthread_mutex_unlock(&lock));
        SHOW(pthread_mutex_lock(&lock));
    }
    SHOW(pthread_mutex_destroy(&lock));
}

static void *take_and_leave(void *lock)
{
    SHOW(pthread_rwlock_timedrdlock(lock, &past));
    SHOW(pthread_rwlock_timedwrlock(lock, &past));
    SHOW(pthread_rwlock_timedrdlock(lock, &wrong));
    SHOW(pthread_rwlock_clockrdlock(lock, CLOCK_MONOTONIC, &past));
    SHOW(pthread_rwlock_clockwrlock(lock, 99, &past));
    return NULL;
}

static void rwlock(void)
{
    pthread_rwlock_t lock;
    pthread_t thread;
    SHOW(pthread_rwlock_init(&lock, NULL));
    SHOW(pthread_rwlock_timedrdlock(&lock, &wrong));
    SHOW(pthread_rwlock_clockrdlock(&lock, 99, &past));
    SHOW(pthread_rwlock_timedrdlock(&lock, &past));
    SHOW(pthread_rwlock_rdlock(&lock));
    SHOW(pthread_rwlock_timedwrlock(&lock, &past));
    SHOW(pthread_rwlock_unlock(&lock));
    SHOW(pthread_rwlock_unlock(&lock));
    SHOW(pthread_rwlock_wrlock(&lock));
    SHOW(pthread_rwlock_wrlock(&lock));
    SHOW(pthread_rwlock_rdlock(&lock));
    pthread_create(&thread, NULL, take_and_leave, &lock);
    SHOW(pthread_join(thread, NULL));
    SHOW(pthread_rwlock_unlock(&lock));
    SHOW(pthread_rwlock_destroy(&lock));
}

static void semaphore(void)
{
    sem_t semaphore;
    SHOW(sem_init(&semaphore, 0, 3));
    SHOW(sem_wait(&semaphore));
    SHOW(sem_timedwait(&semaphore, &wrong));
    SHOW(sem_timedwait(&semaphore, &past));
    SHOW(sem_clockwait(&semaphore, 99, &past));
    SHOW(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &past));
    SHOW(sem_timedwait(&semaphore, &past));
    SHOW(sem_clockwait(&semaphore, CLOCK_REALTIME, &past));
    SHOW(sem_trywait(&semaphore));
    SHOW(sem_destroy(&semaphore));
}

/* Waiting for a semaphore is a cancellation point even when the semaphore is free. */
static void *wait_for_free(void *semaphore)
{
    pthread_cancel(pthread_self());
    sem_wait(semaphore);
    return NULL;
}

static void cancellation(void)
{
    sem_t free_one;
    pthread_t thread;
    void *result = NULL;
    int value = 0;
    sem_init(&free_one, 0, 1);
    pthread_create(&thread, NULL, wait_for_free, &free_one);
    SHOW(pthread_join(thread, &result));
    SHOW(result == PTHREAD_CANCELED);
    SHOW(sem_getvalue(&free_one, &value));
    SHOW(value);
}

static void others(void)
{
    mtx_t lock;
    cnd_t condition;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t waiting = PTHREAD_COND_INITIALIZER;
    pthread_spinlock_t spin;
    pthread_barrier_t barrier;
    SHOW(mtx_init(&lock, mtx_timed));
    SHOW(cnd_init(&condition));
    SHOW(mtx_lock(&lock));
    SHOW(mtx_timedlock(&lock, &past));
    SHOW(cnd_timedwait(&condition, &lock, &past));
    SHOW(mtx_unlock(&lock));
    SHOW(pthread_mutex_lock(&mutex));
    SHOW(pthread_cond_timedwait(&waiting, &mutex, &past));
    SHOW(pthread_cond_timedwait(&waiting, &mutex, &wrong));
    SHOW(pthread_cond_clockwait(&waiting, &mutex, CLOCK_MONOTONIC, &past));
    SHOW(pthread_cond_clockwait(&waiting, &mutex, 99, &past));
    SHOW(pthread_spin_init(&spin, 0));
    SHOW(pthread_spin_lock(&spin));
    SHOW(pthread_spin_trylock(&spin));
    SHOW(pthread_spin_unlock(&spin));
    SHOW(pthread_barrier_init(&barrier, NULL, 1));
    SHOW(pthread_barrier_wait(&barrier));
    SHOW(pthread_join(pthread_self(), NULL));
}

int main(void)
{
    int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
    for (int i = 0; i < 4; i++)
        for (int robust = 0; robust < 2; robust++)
            for (int protocol = 0; protocol < 2; protocol++)
                if (types[i] != PTHREAD_MUTEX_ADAPTIVE_NP)
                    mutex(types[i], robust, protocol);
    rwlock();
    semaphore();
    cancellation();
    others();
    return 0;
}
