/* The global matrix of contacts, in three versions as of a program that is tuned.
 *
 * VERSION 1: threads note their contacts, and the first one adds all of them up while the others wait.
 * VERSION 2: each thread adds to a part of its own; the parts of all threads lie side by side in the same lines of the caches.
 * VERSION 3: the same with each part in lines of its own.
 */
#include "fold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if VERSION == 1

enum { MOST_NOTED = 1 << 20 };

static struct contacts matrix[KINDS][KINDS];
static int (*noted[MOST_THREADS])[2];
static int notes[MOST_THREADS];

void clear_matrix(int thread)
{
    notes[thread] = 0;
    if (thread == 0)
        memset(matrix, 0, sizeof matrix);
    if (!noted[thread])
        noted[thread] = malloc(MOST_NOTED * sizeof *noted[thread]);
}

OWN_NAME void take_contact(const struct residue *chain, int thread, int one, int other)
{
    (void)chain;
    if (!noted[thread] || notes[thread] == MOST_NOTED) {
        fprintf(stderr, "fold: no room for contacts\n");
        exit(2);
    }
    int *note = noted[thread][notes[thread]++];
    note[0] = one, note[1] = other;
}

/* The part of the work that is not divided. */
OWN_NAME static void add_noted(const struct residue *chain, int thread)
{
    for (int i = 0; i < notes[thread]; i++) {
        const struct residue *one = &chain[noted[thread][i][0]], *other = &chain[noted[thread][i][1]];
        struct contacts *sum = &matrix[one->kind][other->kind];
        sum->energy += energy_of(one, other);
        sum->count++;
    }
}

void complete_matrix(const struct residue *chain, int thread, int threads)
{
    for (int each = 0; thread == 0 && each < threads; each++)
        add_noted(chain, each);
}

struct contacts sum_of_matrix(int threads)
{
    struct contacts all = {0, 0};
    (void)threads;
    for (int i = 0; i < KINDS * KINDS; i++) {
        all.energy += matrix[i / KINDS][i % KINDS].energy;
        all.count += matrix[i / KINDS][i % KINDS].count;
    }
    return all;
}

#else

/* The sums of one thread for two kinds. */
struct part {
    struct contacts sum;
#if VERSION == 3
    char padding[128 - sizeof(struct contacts)];
#endif
};

static struct part matrix[KINDS][KINDS][MOST_THREADS] __attribute__((aligned(128)));

void clear_matrix(int thread)
{
    for (int i = 0; i < KINDS * KINDS; i++)
        matrix[i / KINDS][i % KINDS][thread].sum = (struct contacts){0, 0};
}

OWN_NAME void take_contact(const struct residue *chain, int thread, int one, int other)
{
    struct contacts *sum = &matrix[chain[one].kind][chain[other].kind][thread].sum;
    sum->energy += energy_of(&chain[one], &chain[other]);
    sum->count++;
}

void complete_matrix(const struct residue *chain, int thread, int threads)
{
    (void)chain, (void)thread, (void)threads;
}

struct contacts sum_of_matrix(int threads)
{
    struct contacts all = {0, 0};
    for (int i = 0; i < KINDS * KINDS; i++)
        for (int thread = 0; thread < threads; thread++) {
            all.energy += matrix[i / KINDS][i % KINDS][thread].sum.energy;
            all.count += matrix[i / KINDS][i % KINDS][thread].sum.count;
        }
    return all;
}

#endif
