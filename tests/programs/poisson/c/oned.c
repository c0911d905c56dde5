/* Version A of the Poisson solver: rows divided among ranks, edges exchanged by blocking calls in sequence.
 * Each rank waits for the row from below before it passes its own row on, so that the exchange runs through
 * the ranks one after the other: first upwards with tag 3, then downwards with tag 4.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls oned.c block.c sweep.c diff.c -o oned
 * run: mpirun -n 4 oned [grid size] [iterations]
 * hypothesis: ExcessiveSyncWaitingTime
 * function: /Code/oned.c/exchng1
 * object: /SyncObject/Message/MPI_COMM_WORLD/3 (and 4)
 */
#include "block.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_UP = 3, TAG_DOWN = 4, NORM_EVERY = 50 };

OWN_NAME void exchng1(const struct block *g, double *a, MPI_Comm comm, int below, int above)
{
    int n = g->n;
    MPI_Recv(&a[at(g, 1, g->sy - 1)], n, MPI_DOUBLE, below, TAG_UP, comm, MPI_STATUS_IGNORE);
    MPI_Send(&a[at(g, 1, g->ey)], n, MPI_DOUBLE, above, TAG_UP, comm);
    MPI_Recv(&a[at(g, 1, g->ey + 1)], n, MPI_DOUBLE, above, TAG_DOWN, comm, MPI_STATUS_IGNORE);
    MPI_Send(&a[at(g, 1, g->sy)], n, MPI_DOUBLE, below, TAG_DOWN, comm);
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
        sweep(&g, a, f, b);
        exchng1(&g, b, MPI_COMM_WORLD, below, above);
        sweep(&g, b, f, a);
        if (it % NORM_EVERY == 0 || it == iterations) {
            double own = diff(&g, a, b);
            MPI_Allreduce(&own, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        printf("oned: grid %d, %d iterations, difference %.6e\n", n, iterations, sqrt(norm));
    free(a);
    free(b);
    free(f);
    MPI_Finalize();
    return 0;
}
