/* A program whose first event of all happens in threads that start before the main thread has done anything.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -I<include> first_event_in_thread.c -o first_event_in_thread -lpthread
 * run: first_event_in_thread
 * expect: its line, every time; each of the two threads has 1000 visits of "early"
 */
#include "whyperf.h"

#include <pthread.h>
#include <stdio.h>

static whyperf_region early = WHYPERF_REGION("early");
static long sums[2];
static pthread_t threads[2];

static void *work(void *sum)
{
    for (long i = 0; i < 1000; i++) {
        whyperf_begin(&early);
        *(long *)sum += i;
        whyperf_end(&early);
    }
    return NULL;
}

/* Runs before main, and possibly before the constructors of a library that was preloaded. */
__attribute__((constructor(101))) static void start(void)
{
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &sums[i]);
}

int main(void)
{
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("first_event_in_thread: sums %ld %ld\n", sums[0], sums[1]);
    return 0;
}
