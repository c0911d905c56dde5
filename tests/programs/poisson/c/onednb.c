/* Version B of the Poisson solver: rows divided among ranks, edges exchanged by non-blocking calls.
 * All four transfers are under way at once and are completed together; tag 3 goes up, tag 4 goes down.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls onednb.c block.c sweep.c diff.c -o onednb
 * run: mpirun -n 4 onednb [grid size] [iterations]
 * hypothesis: ExcessiveSyncWaitingTime
 * function: /Code/onednb.c/exchng1
 * object: /SyncObject/Message/MPI_COMM_WORLD (both tags are waited for in one call)
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
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Irecv(&a[at(g, 1, g->sy - 1)], n, MPI_DOUBLE, below, TAG_UP, comm, &requests[0]);
    MPI_Irecv(&a[at(g, 1, g->ey + 1)], n, MPI_DOUBLE, above, TAG_DOWN, comm, &requests[1]);
    MPI_Isend(&a[at(g, 1, g->ey)], n, MPI_DOUBLE, above, TAG_UP, comm, &requests[2]);
    MPI_Isend(&a[at(g, 1, g->sy)], n, MPI_DOUBLE, below, TAG_DOWN, comm, &requests[3]);
    MPI_Waitall(4, requests, statuses);
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
        printf("onednb: grid %d, %d iterations, difference %.6e\n", n, iterations, sqrt(norm));
    free(a);
    free(b);
    free(f);
    MPI_Finalize();
    return 0;
}
