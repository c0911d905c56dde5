/* A program that uses ten thousand different message tags, each for one round trip.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls many_tags.c -o many_tags
 * run: mpirun -n 2 many_tags [tags]
 * expect: its line; tags beyond the table's size are under "other tags" and the loss is reported
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, tags = argc > 1 ? atoi(argv[1]) : 10000, value, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int tag = 0; tag < tags && rank < 2; tag++) {
        if (rank == 0) {
            MPI_Send(&tag, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            wrong += value != tag;
        } else {
            MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        printf("many_tags: %d tags, %d wrong\n", tags, wrong);
    MPI_Finalize();
    return 0;
}
