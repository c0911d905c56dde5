/* Both ranks add up a field of 32 MiB in one collective after the other: it takes long itself, and nobody comes late.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls slow_collective.c -o slow_collective
 * run: mpirun -n 2 slow_collective [seconds]
 * hypothesis: ExcessiveSyncWaitingTime
 * function: /Code/slow_collective.c/add_up
 * object: /SyncObject/Collective
 * shows: ExcessiveSyncWaitingTime, ExcessiveCollectiveWaitingTime
 * may show: CPUbound
 * refutes: LateArrivalAtCollectives, ExcessivePointToPointWaitingTime
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
enum { POINTS = 1 << 22 };

OWN_NAME static void add_up(double *field)
{
    MPI_Allreduce(MPI_IN_PLACE, field, POINTS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, steps = 0;
    double length = argc > 1 ? atof(argv[1]) : 6.0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *field = calloc(POINTS, sizeof *field);
    if (!field) {
        fprintf(stderr, "slow_collective: no memory for %d points\n", POINTS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    /* The first point, to which rank 0 alone adds, says when the time is up. */
    double end = seconds_of(CLOCK_MONOTONIC) + length;
    do {
        field[0] = rank == 0 && seconds_of(CLOCK_MONOTONIC) >= end;
        add_up(field);
        steps++;
    } while (field[0] == 0.0);
    if (rank == 0)
        printf("slow_collective: %s\n", steps > 0 ? "done" : "nothing done");
    free(field);
    MPI_Finalize();
    return 0;
}
