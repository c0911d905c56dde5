/* A program with a thousand threads alive at once, each of which locks, waits and writes.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls many_threads.c -o many_threads -lpthread
 * run: many_threads [threads]
 * expect: its line; threads beyond the table's size are counted as a loss
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_here;
static long count, written;

static void *work(void *unused)
{
    int file = open("/dev/null", O_WRONLY);
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < 10; i++) {
        ssize_t length = write(file, "data", 4);
        pthread_mutex_lock(&lock);
        count++;
        written += length;
        pthread_mutex_unlock(&lock);
    }
    close(file);
    return unused;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 1000, started = 0;
    pthread_t *ids = calloc((size_t)threads, sizeof *ids);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    pthread_barrier_init(&all_here, NULL, (unsigned)threads);
    while (started < threads && pthread_create(&ids[started], &small, work, NULL) == 0)
        started++;
    if (started < threads) {
        fprintf(stderr, "many_threads: only %d threads could be started\n", started);
        _exit(2);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    printf("many_threads: %d threads, %ld updates, %ld bytes\n", threads, count, written);
    free(ids);
    return 0;
}
