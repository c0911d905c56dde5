/* Rank 1 blocks in a single receive while rank 0 sleeps, then sends. It prints what it received, and by its own clock how long that took.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls long_receive.c -o long_receive
 * run: mpirun -n 2 long_receive [seconds]
 * hypothesis: ExcessiveSyncWaitingTime, on process 1 alone and before the receive has ended
 * function: /Code/long_receive.c/receive
 * object: /SyncObject/Message/MPI_COMM_WORLD/1
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

__attribute__((noipa)) static int receive(void)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

static void sleep_for(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&t, &t))
        ;
}

int main(int argc, char **argv)
{
    int rank, value = 42;
    double seconds = argc > 1 ? atof(argv[1]) : 10.0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        sleep_for(seconds);
        MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else if (rank == 1) {
        double begin = seconds_of(CLOCK_MONOTONIC);
        int received = receive();
        printf("long_receive: received %d in %.6f s\n", received, seconds_of(CLOCK_MONOTONIC) - begin);
    }
    MPI_Finalize();
    return 0;
}
