/* Threads that return, exit from deep inside, are cancelled while they wait, and use locks and conditions. */
#include "rounds.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static sem_t ready;
static long sum, cleaned, destroyed;

static void clean(void *argument) { __atomic_add_fetch(&cleaned, (long)argument, __ATOMIC_RELAXED); }
static void destroy(void *value) { __atomic_add_fetch(&destroyed, (long)value, __ATOMIC_RELAXED); }

__attribute__((noinline)) static long leave(long depth)
{
    volatile long kept = depth;
    if (depth == 0)
        pthread_exit((void *)5);
    return leave(depth - 1) + kept;
}

static void *leaver(void *argument)
{
    pthread_setspecific(key, argument);
    pthread_cleanup_push(clean, argument);
    leave((long)argument);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *worker(void *argument)
{
    for (int at = 0; at < 50; at++) {
        pthread_mutex_lock(&lock);
        sum += (long)argument;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
        char text[40];
        snprintf(text, sizeof text, "%ld %d", (long)argument, at);
        free(strdup(text));
    }
    return argument;
}

static void *waiter(void *argument)
{
    pthread_cleanup_push(clean, argument);
    sem_post(&ready);
    struct timespec long_time = { 1000, 0 };
    for (;;)
        nanosleep(&long_time, NULL);
    pthread_cleanup_pop(0);
    return NULL;
}

static void work(void)
{
    pthread_t threads[12];
    sum = cleaned = destroyed = 0;
    sem_init(&ready, 0, 0);
    for (long at = 0; at < 12; at++) {
        void *(*body)(void *) = at % 3 == 0 ? leaver : at % 3 == 1 ? worker : waiter;
        while (pthread_create(&threads[at], NULL, body, (void *)(at + 1)))
            usleep(1000);
    }
    pthread_mutex_lock(&lock);
    while (sum < 50 * (2 + 5 + 8 + 11))
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    for (int at = 0; at < 4; at++)
        while (sem_wait(&ready) && errno == EINTR)
            ;
    for (int at = 0; at < 12; at++) {
        void *result;
        if (at % 3 == 2)
            pthread_cancel(threads[at]);
        pthread_join(threads[at], &result);
        note_number((long)result);
    }
    note_number(sum);
    note_number(cleaned);
    note_number(destroyed);
}

int main(void)
{
    pthread_key_create(&key, destroy);
    return rounds_of(work);
}
