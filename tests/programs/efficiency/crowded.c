/* Ranks that share two processors, do the same, and exchange halos and add up a sum in each step. They know for how long ranks were in sums
 * that all of them had entered: a rank with a processor of its own would have left at once.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls crowded.c -o crowded
 * run: mpirun -n RANKS crowded [seconds]
 * On standard error, in seconds of all ranks together:
 *   crowded: waited SECONDS ready SECONDS
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../bottleneck/two_processors.h"
#include "../seconds.h"

enum { MOST = 1 << 16 };
static const double WORK = 0.0003;

/* When a rank entered and left each sum; of all ranks the last to enter. */
static double entered[MOST], left[MOST], last[MOST];

__attribute__((noipa)) static void work(void)
{
    volatile double sum = 0.0;
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + WORK;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 1; i < 500; i++)
            sum += 1.0 / i;
}

__attribute__((noipa)) static void exchange_halos(int rank, int ranks, double *halo)
{
    int up = (rank + 1) % ranks, down = (rank + ranks - 1) % ranks;
    MPI_Sendrecv(halo, 64, MPI_DOUBLE, up, 1, halo + 64, 64, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(halo, 64, MPI_DOUBLE, down, 2, halo + 128, 64, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, ranks, steps = 0;
    long goes_on = 1;
    double halo[192] = {0}, spent[2] = {0}, all[2] = {0};
    share_two_processors();
    /* Who waits gives its processor to whoever has work. */
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double end = seconds_of(CLOCK_MONOTONIC) + (argc > 1 ? atof(argv[1]) : 6.0);
    while (goes_on && steps < MOST) {
        work();
        double begin = seconds_of(CLOCK_MONOTONIC);
        exchange_halos(rank, ranks, halo);
        long own = rank == 0 && seconds_of(CLOCK_MONOTONIC) < end;
        entered[steps] = seconds_of(CLOCK_MONOTONIC);
        MPI_Allreduce(&own, &goes_on, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        left[steps] = seconds_of(CLOCK_MONOTONIC);
        spent[0] += left[steps] - begin;
        steps++;
    }
    MPI_Allreduce(entered, last, steps, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int step = 0; step < steps; step++)
        spent[1] += left[step] - last[step];
    MPI_Reduce(spent, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        fprintf(stderr, "crowded: waited %.3f ready %.3f\n", all[0], all[1]);
    MPI_Finalize();
    return 0;
}
