/* Two ranks hand eight bytes to and fro all the time: nearly everything is the latency of small messages.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls many_small_messages.c -o many_small_messages
 * run: mpirun -n 2 many_small_messages [seconds]
 * hypothesis: ExcessiveSyncWaitingTime
 * function: /Code/many_small_messages.c/exchange_cell
 * object: /SyncObject/Message/MPI_COMM_WORLD/5
 * shows: ExcessiveSyncWaitingTime, ExcessivePointToPointWaitingTime, TooManySmallMessages
 * refutes: ExcessiveCollectiveWaitingTime, ExcessiveIOBlockingTime
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
enum { TAG_CELL = 5, CLOCK_EVERY = 1000 };

/* Rank 0 sends and gets the answer; the value -1 is the last one. */
OWN_NAME static double exchange_cell(int rank, double cell)
{
    double other;
    if (rank == 0) {
        MPI_Send(&cell, 1, MPI_DOUBLE, 1, TAG_CELL, MPI_COMM_WORLD);
        MPI_Recv(&other, 1, MPI_DOUBLE, 1, TAG_CELL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&other, 1, MPI_DOUBLE, 0, TAG_CELL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&other, 1, MPI_DOUBLE, 0, TAG_CELL, MPI_COMM_WORLD);
    }
    return other;
}

int main(int argc, char **argv)
{
    int rank, wrong = 0;
    double length = argc > 1 ? atof(argv[1]) : 6.0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double end = seconds_of(CLOCK_MONOTONIC) + length, other = 0.0;
    for (long round = 1; rank <= 1 && other >= 0.0; round++) {
        int last = round % CLOCK_EVERY == 0 && seconds_of(CLOCK_MONOTONIC) >= end;
        double cell = last ? -1.0 : (double)round;
        other = exchange_cell(rank, cell);
        wrong += rank == 0 && other != cell;
    }
    if (rank == 0)
        printf("many_small_messages: %d answers wrong\n", wrong);
    MPI_Finalize();
    return 0;
}
