/* Version C of the Poisson solver, and D when run on 8 ranks: the grid divided in both directions.
 * Four exchanges per step, each one a send and a receive in one call: tags 5 up, 6 down, 7 right, 8 left,
 * on a Cartesian communicator that is named "grid".
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls twod.c block.c sweep.c diff.c -o twod
 * run: mpirun -n 4 twod [grid size] [iterations]
 * hypothesis: ExcessiveSyncWaitingTime
 * function: /Code/twod.c/exchng2
 * object: /SyncObject/Message/grid
 */
#include "block.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_UP = 5, TAG_DOWN = 6, TAG_RIGHT = 7, TAG_LEFT = 8, NORM_EVERY = 50 };

struct neighbours {
    int below, above, left, right;
};

OWN_NAME void exchng2(const struct block *g, double *a, MPI_Comm comm, MPI_Datatype column,
                      const struct neighbours *to)
{
    int width = g->ex - g->sx + 1;
    MPI_Sendrecv(&a[at(g, g->sx, g->ey)], width, MPI_DOUBLE, to->above, TAG_UP,
                 &a[at(g, g->sx, g->sy - 1)], width, MPI_DOUBLE, to->below, TAG_UP, comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&a[at(g, g->sx, g->sy)], width, MPI_DOUBLE, to->below, TAG_DOWN,
                 &a[at(g, g->sx, g->ey + 1)], width, MPI_DOUBLE, to->above, TAG_DOWN, comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&a[at(g, g->ex, g->sy)], 1, column, to->right, TAG_RIGHT,
                 &a[at(g, g->sx - 1, g->sy)], 1, column, to->left, TAG_RIGHT, comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&a[at(g, g->sx, g->sy)], 1, column, to->left, TAG_LEFT,
                 &a[at(g, g->ex + 1, g->sy)], 1, column, to->right, TAG_LEFT, comm,
                 MPI_STATUS_IGNORE);
}

static MPI_Comm divide(int n, struct block *g, struct neighbours *to)
{
    int ranks, rank, dims[2] = {0, 0}, periods[2] = {0, 0}, coords[2];
    MPI_Comm grid;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_set_name(grid, "grid");
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, coords);
    MPI_Cart_shift(grid, 0, 1, &to->left, &to->right);
    MPI_Cart_shift(grid, 1, 1, &to->below, &to->above);
    g->n = n;
    decompose(n, dims[0], coords[0], &g->sx, &g->ex);
    decompose(n, dims[1], coords[1], &g->sy, &g->ey);
    return grid;
}

static double solve(const struct block *g, MPI_Comm grid, const struct neighbours *to, int iterations)
{
    double *a = new_grid(g), *b = new_grid(g), *f = new_grid(g), norm = 0.0;
    MPI_Datatype column;
    MPI_Type_vector(g->ey - g->sy + 1, 1, (int)block_width(g), MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    init(g, a, b, f);
    for (int it = 1; it <= iterations; it++) {
        exchng2(g, a, grid, column, to);
        sweep(g, a, f, b);
        exchng2(g, b, grid, column, to);
        sweep(g, b, f, a);
        if (it % NORM_EVERY == 0 || it == iterations) {
            double own = diff(g, a, b);
            MPI_Allreduce(&own, &norm, 1, MPI_DOUBLE, MPI_SUM, grid);
        }
    }
    MPI_Type_free(&column);
    free(a);
    free(b);
    free(f);
    return sqrt(norm);
}

int main(int argc, char **argv)
{
    int rank, n, iterations;
    struct block g;
    struct neighbours to;
    MPI_Init(&argc, &argv);
    read_arguments(argc, argv, &n, &iterations);
    MPI_Comm grid = divide(n, &g, &to);
    MPI_Comm_rank(grid, &rank);
    double difference = solve(&g, grid, &to, iterations);
    if (rank == 0)
        printf("twod: grid %d, %d iterations, difference %.6e\n", n, iterations, difference);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
