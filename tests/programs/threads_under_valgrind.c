/* Threads that lock, read and write, and end: what a memory checker is to watch under the library. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long shared;

static void *work(void *unused)
{
    char buffer[64];
    int zeros = open("/dev/zero", O_RDONLY);
    for (int round = 0; round < ROUNDS; round++) {
        if (read(zeros, buffer, sizeof buffer) != (ssize_t)sizeof buffer)
            abort();
        pthread_mutex_lock(&lock);
        shared += 1 + buffer[round % 64];
        pthread_mutex_unlock(&lock);
    }
    close(zeros);
    return unused;
}

int main(void)
{
    for (int batch = 0; batch < 3; batch++) {
        pthread_t threads[THREADS];
        for (int at = 0; at < THREADS; at++)
            if (pthread_create(&threads[at], NULL, work, NULL) != 0)
                return 1;
        for (int at = 0; at < THREADS; at++)
            pthread_join(threads[at], NULL);
    }
    printf("%ld\n", shared);
    return shared == 3L * THREADS * ROUNDS ? 0 : 1;
}
