/* Ranks meet on communicators that they made: all of them, and every other one.

   build: mpicc -O2 cartesian.c -o cartesian
   run: mpirun -n 4 cartesian
   hypothesis: none
   function: /Code/cartesian.c/main
   object: /SyncObject/Barrier/MPI_COMM_WORLD.cart_create#1(0-3) */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int periodic = 1;
    MPI_Comm ring, half;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int round = 0; round < 100; round++) {
        MPI_Barrier(ring);
        MPI_Barrier(half);
    }
    if (rank == 0)
        printf("cartesian: met\n");
    MPI_Comm_free(&half);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
