/* Rank 0 sends a field of 64 MiB in one message each step: nearly everything is its transfer.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls one_big_message.c -o one_big_message
 * run: mpirun -n 2 one_big_message [seconds]
 * hypothesis: ExcessiveSyncWaitingTime
 * function: /Code/one_big_message.c/move_field
 * object: /SyncObject/Message/MPI_COMM_WORLD/9
 * shows: ExcessiveSyncWaitingTime, ExcessivePointToPointWaitingTime
 * may show: CPUbound
 * refutes: TooManySmallMessages, ExcessiveCollectiveWaitingTime
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
enum { TAG_FIELD = 9, POINTS = 8 << 20 };

OWN_NAME static void move_field(int rank, double *field)
{
    if (rank == 0)
        MPI_Send(field, POINTS, MPI_DOUBLE, 1, TAG_FIELD, MPI_COMM_WORLD);
    else
        MPI_Recv(field, POINTS, MPI_DOUBLE, 0, TAG_FIELD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, wrong = 0;
    double length = argc > 1 ? atof(argv[1]) : 6.0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *field = calloc(POINTS, sizeof *field);
    if (!field) {
        fprintf(stderr, "one_big_message: no memory for %d points\n", POINTS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    /* The first point says whether another step follows. */
    double end = seconds_of(CLOCK_MONOTONIC) + length;
    for (double step = 1.0; rank <= 1; step += 1.0) {
        if (rank == 0)
            field[0] = field[POINTS - 1] = seconds_of(CLOCK_MONOTONIC) < end ? step : -1.0;
        move_field(rank, field);
        wrong += field[0] != field[POINTS - 1];
        if (field[0] < 0.0)
            break;
    }
    if (rank == 1)
        printf("one_big_message: %d fields wrong\n", wrong);
    free(field);
    MPI_Finalize();
    return 0;
}
