/* Version B of the Poisson solver with at most one planted regression, for comparisons of two builds.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls -DPLANTED_COPY planted.c block.c sweep.c diff.c -o planted_copy
 * run: mpirun -n 4 planted_copy [grid size] [iterations]
 *
 * PLANTED_COPY      exchng1 copies the whole block each time it is called
 * PLANTED_BARRIER   a barrier before each exchange
 * PLANTED_BLOCKING  the exchange is one of blocking calls, one after the other
 * PLANTED_WORK      the last rank sweeps its rows once more in each fifth step
 */
#include "block.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_UP = 3, TAG_DOWN = 4, NORM_EVERY = 50 };

#ifdef PLANTED_COPY
/* Memory for a copy that nobody reads, which the compiler does not know. */
OWN_NAME static double *copy_of(size_t bytes)
{
    static double *memory;
    return memory ? memory : (memory = malloc(bytes));
}
#endif

OWN_NAME void exchng1(const struct block *g, double *a, MPI_Comm comm, int below, int above)
{
    int n = g->n;
#ifdef PLANTED_COPY
    size_t bytes = block_width(g) * (size_t)(g->ey - g->sy + 3) * sizeof *a;
    memcpy(copy_of(bytes), a, bytes);
#endif
#ifdef PLANTED_BARRIER
    MPI_Barrier(comm);
#endif
#ifdef PLANTED_BLOCKING
    MPI_Sendrecv(&a[at(g, 1, g->ey)], n, MPI_DOUBLE, above, TAG_UP, &a[at(g, 1, g->sy - 1)], n,
                 MPI_DOUBLE, below, TAG_UP, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&a[at(g, 1, g->sy)], n, MPI_DOUBLE, below, TAG_DOWN, &a[at(g, 1, g->ey + 1)], n,
                 MPI_DOUBLE, above, TAG_DOWN, comm, MPI_STATUS_IGNORE);
#else
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Irecv(&a[at(g, 1, g->sy - 1)], n, MPI_DOUBLE, below, TAG_UP, comm, &requests[0]);
    MPI_Irecv(&a[at(g, 1, g->ey + 1)], n, MPI_DOUBLE, above, TAG_DOWN, comm, &requests[1]);
    MPI_Isend(&a[at(g, 1, g->ey)], n, MPI_DOUBLE, above, TAG_UP, comm, &requests[2]);
    MPI_Isend(&a[at(g, 1, g->sy)], n, MPI_DOUBLE, below, TAG_DOWN, comm, &requests[3]);
    MPI_Waitall(4, requests, statuses);
#endif
}

/* The computation of a step, and what was planted into it. */
static void compute(const struct block *g, const double *a, const double *f, double *b, int is_last)
{
    sweep(g, a, f, b);
#ifdef PLANTED_WORK
    /* All of them, and not a fifth of them each time, which would still lie in the caches. */
    static int steps;
    if (is_last && ++steps % 5 == 0)
        sweep(g, a, f, b);
#else
    (void)is_last;
#endif
}

int main(int argc, char **argv)
{
    int rank, ranks, n, iterations;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    read_arguments(argc, argv, &n, &iterations);

    struct block g = {.n = n, .sx = 1, .ex = n};
    decompose(n, ranks, rank, &g.sy, &g.ey);
    int below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int above = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    double *a = new_grid(&g), *b = new_grid(&g), *f = new_grid(&g), norm = 0.0;
    init(&g, a, b, f);

    for (int it = 1; it <= iterations; it++) {
        exchng1(&g, a, MPI_COMM_WORLD, below, above);
        compute(&g, a, f, b, rank == ranks - 1);
        exchng1(&g, b, MPI_COMM_WORLD, below, above);
        compute(&g, b, f, a, rank == ranks - 1);
        if (it % NORM_EVERY == 0 || it == iterations) {
            double own = diff(&g, a, b);
            MPI_Allreduce(&own, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        printf("planted: grid %d, %d iterations, difference %.6e\n", n, iterations, sqrt(norm));
    free(a);
    free(b);
    free(f);
    MPI_Finalize();
    return 0;
}
