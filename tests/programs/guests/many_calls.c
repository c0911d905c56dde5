/* A program that makes 300000 tiny MPI calls: more than some tools care to count.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls many_calls.c -o many_calls
 * run: mpirun -n 2 many_calls [calls]
 * expect: its line; each rank has 300000 calls of MPI_Iprobe
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, calls = argc > 1 ? atoi(argv[1]) : 300000, found = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < calls; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        sum += found;
    }
    if (rank == 0)
        printf("many_calls: %d calls, %d found\n", calls, sum);
    MPI_Finalize();
    return 0;
}
