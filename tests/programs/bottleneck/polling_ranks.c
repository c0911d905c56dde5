/* Four ranks on two processors pass small messages around after a little work: who waits polls, and who has work waits for a processor.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls polling_ranks.c -o polling_ranks
 * run: mpirun -n 4 polling_ranks [seconds]
 * hypothesis: PollingWhileOthersWait
 * function: none
 * object: none
 * shows: PollingWhileOthersWait, ExcessiveSyncWaitingTime
 * may show: WaitingForProcessors, WaitsCausedByProcessors, TooManyThreads, OtherPrograms, PinnedTogether, ExcessivePointToPointWaitingTime, TooManySmallMessages, CPUbound
 * refutes: ExcessiveIOBlockingTime, BlockedElsewhere
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"
#include "two_processors.h"

#define OWN_NAME __attribute__((noipa))
static const double WORK = 0.00005;

OWN_NAME static void work(void)
{
    volatile double sum = 0.0;
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + WORK;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 1; i < 500; i++)
            sum += 1.0 / i;
}

OWN_NAME static int pass_around(int rank, int ranks, int token)
{
    int got = 0;
    MPI_Sendrecv(&token, 1, MPI_INT, (rank + 1) % ranks, 0, &got, 1, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return got;
}

int main(int argc, char **argv)
{
    int rank, ranks, token, goes_on = 1;
    share_two_processors();
    /* A rank that yields between two looks takes little from the others: how much depends on the machine. */
    setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double end = seconds_of(CLOCK_MONOTONIC) + (argc > 1 ? atof(argv[1]) : 6.0);
    token = rank;
    while (goes_on) {
        for (int round = 0; round < 10 * ranks; round++) {
            work();
            token = pass_around(rank, ranks, token);
        }
        goes_on = seconds_of(CLOCK_MONOTONIC) < end;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("polling_ranks: token %d\n", token);
    MPI_Finalize();
    return 0;
}
