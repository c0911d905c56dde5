/* Rank 1 waits for blocks that rank 0 sends late, because its source is slow.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls late_sender.c -o late_sender
 * run: mpirun -n 2 late_sender [seconds]
 * hypothesis: ExcessiveSyncWaitingTime
 * function: /Code/late_sender.c/receive_block
 * object: /SyncObject/Message/MPI_COMM_WORLD/7
 * shows: ExcessiveSyncWaitingTime, ExcessivePointToPointWaitingTime, WaitsCausedByBlocking
 * may show: CPUbound, BlockedElsewhere
 * refutes: WaitsCausedByProcessors, WaitsCausedByComputing, ExcessiveCollectiveWaitingTime, TooManySmallMessages, ExcessiveLockWaitingTime
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
enum { TAG_BLOCK = 7, POINTS = 1000 };
static const double ROUND = 0.040;

/* Work measured by the thread's own processor time, so that no other load on the machine changes its amount. */
OWN_NAME static void compute(double seconds)
{
    volatile double sum = 0.0;
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 1; i < 5000; i++)
            sum += 1.0 / i;
}

static void idle(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&t, &t))
        ;
}

OWN_NAME static void send_block(double *block)
{
    idle(ROUND * 0.85);
    compute(ROUND * 0.15);
    MPI_Send(block, POINTS, MPI_DOUBLE, 1, TAG_BLOCK, MPI_COMM_WORLD);
}

OWN_NAME static void receive_block(double *block)
{
    MPI_Recv(block, POINTS, MPI_DOUBLE, 0, TAG_BLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    static double block[POINTS];
    int rank, rounds = (int)((argc > 1 ? atof(argv[1]) : 6.0) / ROUND);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < rounds; round++) {
        if (rank == 0) {
            send_block(block);
        } else if (rank == 1) {
            receive_block(block);
            compute(ROUND * 0.1);
        }
    }
    if (rank == 0)
        printf("late_sender: %d blocks of %d points\n", rounds, POINTS);
    MPI_Finalize();
    return 0;
}
