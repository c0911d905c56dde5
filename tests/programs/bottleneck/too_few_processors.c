/* Four ranks on two processors do the same work and add up its results: with a processor for each of them nobody would wait.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls too_few_processors.c -o too_few_processors
 * run: mpirun -n 4 too_few_processors [seconds]
 * hypothesis: WaitsCausedByProcessors
 * function: none
 * object: none
 * shows: WaitsCausedByProcessors, ExcessiveSyncWaitingTime, ExcessiveCollectiveWaitingTime
 * may show: WaitingForProcessors, PollingWhileOthersWait, TooManyThreads, OtherPrograms, PinnedTogether, LateArrivalAtCollectives, CPUbound
 * refutes: ExcessiveIOBlockingTime, BlockedElsewhere, ExcessivePointToPointWaitingTime
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"
#include "two_processors.h"

#define OWN_NAME __attribute__((noipa))
static const double WORK = 0.002;

OWN_NAME static void work(void)
{
    volatile double sum = 0.0;
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + WORK;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 1; i < 500; i++)
            sum += 1.0 / i;
}

int main(int argc, char **argv)
{
    int rank, goes_on = 1;
    long own = 0, all = 0;
    share_two_processors();
    /* Who waits gives its processor to whoever has work. */
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double end = seconds_of(CLOCK_MONOTONIC) + (argc > 1 ? atof(argv[1]) : 6.0);
    while (goes_on) {
        for (int step = 0; step < 20; step++) {
            work();
            own++;
            MPI_Allreduce(&own, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        }
        goes_on = seconds_of(CLOCK_MONOTONIC) < end;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("too_few_processors: %s\n", all % own == 0 ? "all did the same" : "wrong");
    MPI_Finalize();
    return 0;
}
