/* A program in which the last rank leaves by _exit with status 3 while another waits to receive from it.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls exit_in_mpi.c -o exit_in_mpi
 * run: mpirun -n 2 exit_in_mpi
 * expect: the exit status and the messages it has by itself, and a report of what was measured until then
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, ranks, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 100; i++)
        MPI_Bcast(&i, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("exit_in_mpi: 100 broadcasts\n");
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1)
        _exit(3);
    MPI_Recv(&value, 1, MPI_INT, ranks - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
