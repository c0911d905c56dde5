/* Rank 0 has twenty times the work of the others, who wait for it in the reduction that ends each step.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls load_imbalance.c -o load_imbalance
 * run: mpirun -n 4 load_imbalance [seconds]
 * hypothesis: ExcessiveSyncWaitingTime (and CPUbound on process 0 alone)
 * function: /Code/load_imbalance.c/agree
 * object: /SyncObject/Collective
 * shows: ExcessiveSyncWaitingTime, ExcessiveCollectiveWaitingTime, LateArrivalAtCollectives, WaitsCausedByComputing, ExcessiveLoadImbalance
 * may show: CPUbound
 * refutes: WaitsCausedByBlocking, ExcessivePointToPointWaitingTime
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
static const double STEP = 0.040;

/* Work measured by the thread's own processor time, so that no other load on the machine changes its amount. */
OWN_NAME static void compute(double seconds)
{
    volatile double sum = 0.0;
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 1; i < 5000; i++)
            sum += 1.0 / i;
}

OWN_NAME static long agree(long own)
{
    long sum = 0;
    MPI_Allreduce(&own, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, steps = (int)((argc > 1 ? atof(argv[1]) : 6.0) / STEP);
    long total = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < steps; step++) {
        compute(rank == 0 ? STEP : STEP / 20);
        total += agree(rank + 1);
    }
    if (rank == 0)
        printf("load_imbalance: %d steps, total %ld\n", steps, total);
    MPI_Finalize();
    return 0;
}
