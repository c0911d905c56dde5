/* Every rank computes for the same time and none communicates: nothing but processor time is to be found.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls compute_only.c -o compute_only
 * run: mpirun -n 2 compute_only [seconds]
 * hypothesis: CPUbound; no synchronization and no I/O conclusion
 * function: /Code/compute_only.c/compute
 * object: none
 * shows: CPUbound
 * refutes: ExcessiveSyncWaitingTime, ExcessiveIOBlockingTime, ExcessiveLoadImbalance, BlockedElsewhere
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))

/* Ends by the wall clock: ranks that got less of a busy machine must not make the others wait at the end. */
OWN_NAME static double compute(double end)
{
    double largest = 0.0;
    while (seconds_of(CLOCK_MONOTONIC) < end) {
        double sum = 0.0;
        for (int i = 1; i < 100000; i++)
            sum += 1.0 / ((double)i * i);
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

int main(int argc, char **argv)
{
    int rank;
    double length = argc > 1 ? atof(argv[1]) : 6.0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double sum = compute(seconds_of(CLOCK_MONOTONIC) + length);
    if (rank == 0)
        printf("compute_only: sum %.6f\n", sum);
    MPI_Finalize();
    return 0;
}
