/* A chain that folds, by threads that share one matrix of contacts; three versions as of a program that is tuned (see matrix.c).
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -DVERSION=1 fold.c chain.c matrix.c -o fold_1 -pthread
 * run: fold_1 [threads] [residues] [steps]
 * expect: `fold: 1000 residues, 100 steps, 1234567 contacts, energy -123456789`, the same in all versions and for any number of threads
 * exit: 1 where the matrix of the last step is not what one thread finds by looking at each pair
 * bottleneck: version 1 waits in meet while the first thread is in add_noted; version 2 is long in take_contact, where threads take lines of
 *             the caches from each other; version 3 has none
 */
#define _POSIX_C_SOURCE 200809L
#include "fold.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct residue *chain;
static int threads, residues, steps;
static pthread_barrier_t barrier;
static struct contacts total, last;

OWN_NAME void meet(void)
{
    pthread_barrier_wait(&barrier);
}

/* All pairs whose first is one of this thread's; each has as many long rows as short ones. */
OWN_NAME void find_contacts(int thread)
{
    for (int one = thread; one < residues; one += threads)
        for (int other = one + 1; other < residues; other++)
            if (square_distance(&chain[one], &chain[other]) < REACH * REACH)
                take_contact(chain, thread, one, other);
}

static void *fold(void *number)
{
    int thread = (int)(long)number;
    for (int step = 1; step <= steps; step++) {
        clear_matrix(thread);
        move_residues(chain, residues * thread / threads, residues * (thread + 1) / threads, step);
        meet();
        find_contacts(thread);
        meet();
        complete_matrix(chain, thread, threads);
        meet();
        if (thread == 0) {
            last = sum_of_matrix(threads);
            total.energy += last.energy;
            total.count += last.count;
        }
        meet();
    }
    return NULL;
}

/* The last step again, by one thread that looks at each pair. */
static struct contacts found_again(void)
{
    struct contacts all = {0, 0};
    for (int one = 0; one < residues; one++)
        for (int other = 0; other < one; other++)
            if (square_distance(&chain[one], &chain[other]) < REACH * REACH) {
                all.energy += energy_of(&chain[other], &chain[one]);
                all.count++;
            }
    return all;
}

int main(int argc, char **argv)
{
    pthread_t others[MOST_THREADS];
    threads = argc > 1 ? atoi(argv[1]) : 2;
    residues = argc > 2 ? atoi(argv[2]) : 1000;
    steps = argc > 3 ? atoi(argv[3]) : 100;
    if (threads < 1 || threads > MOST_THREADS || residues < threads || steps < 1 || steps > 1000000) {
        fprintf(stderr, "usage: %s [threads, at most %d] [residues] [steps]\n", argv[0], MOST_THREADS);
        return 2;
    }
    chain = malloc((size_t)residues * sizeof *chain);
    if (!chain || pthread_barrier_init(&barrier, NULL, (unsigned)threads))
        return 2;
    start_chain(chain, residues);
    for (long i = 1; i < threads; i++)
        if (pthread_create(&others[i], NULL, fold, (void *)i))
            return 2;
    fold((void *)0L);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    struct contacts again = found_again();
    free(chain);
    printf("fold: %d residues, %d steps, %lld contacts, energy %lld\n", residues, steps, total.count, total.energy);
    if (again.energy != last.energy || again.count != last.count) {
        printf("fold: the last step has %lld contacts, and not %lld\n", again.count, last.count);
        return 1;
    }
    return 0;
}
