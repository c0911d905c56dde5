/* A program in which the last rank calls abort() after some traffic, while the others wait for it.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls abort.c -o abort
 * run: mpirun -n 2 abort
 * expect: the exit status and the messages it has by itself, and a report of what was measured until then
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, ranks, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 1000; i++)
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("abort: last sum per rank %d\n", sum / ranks);
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1)
        abort();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
