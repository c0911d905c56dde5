/* Rank 0 comes late to making a communicator, again and again: the others wait in MPI_Comm_dup.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls late_to_create.c -o late_to_create
 * run: mpirun -n 2 late_to_create
 * expect: late_to_create: done
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < 24; turn++) {
        MPI_Comm copy;
        double end = MPI_Wtime() + 0.3;
        while (rank == 0 && MPI_Wtime() < end) {
        }
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Comm_free(&copy);
    }
    if (rank == 0)
        printf("late_to_create: done\n");
    MPI_Finalize();
    return 0;
}
