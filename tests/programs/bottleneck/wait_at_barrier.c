/* One rank, always the last, comes late to every barrier and the others wait for it there.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls wait_at_barrier.c -o wait_at_barrier
 * run: mpirun -n 4 wait_at_barrier [seconds]
 * hypothesis: ExcessiveSyncWaitingTime
 * function: /Code/wait_at_barrier.c/meet
 * object: /SyncObject/Barrier
 * shows: ExcessiveSyncWaitingTime, ExcessiveCollectiveWaitingTime, LateArrivalAtCollectives, WaitsCausedByBlocking
 * may show: CPUbound, BlockedElsewhere
 * refutes: WaitsCausedByIO, ExcessivePointToPointWaitingTime, ExcessiveLockWaitingTime
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
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

OWN_NAME static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, ranks, rounds = (int)((argc > 1 ? atof(argv[1]) : 6.0) / ROUND);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < rounds; round++) {
        compute(ROUND * 0.05);
        if (rank == ranks - 1)
            idle(ROUND * 0.9);
        meet();
    }
    if (rank == 0)
        printf("wait_at_barrier: %d barriers\n", rounds);
    MPI_Finalize();
    return 0;
}
