/* In each round one rank, drawn at random from a fixed seed, wastes time while the others wait in the barrier.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls random_barrier.c -o random_barrier
 * run: mpirun -n 4 random_barrier [seconds]
 * hypothesis: ExcessiveSyncWaitingTime (evenly on all processes)
 * function: /Code/random_barrier.c/meet
 * object: /SyncObject/Barrier
 * shows: ExcessiveSyncWaitingTime, ExcessiveCollectiveWaitingTime
 * may show: CPUbound, LateArrivalAtCollectives, WaitsCausedByComputing
 * refutes: ExcessivePointToPointWaitingTime, ExcessiveLoadImbalance
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
static const double ROUND = 0.020;

/* Work measured by the thread's own processor time, so that no other load on the machine changes its amount. */
OWN_NAME static void compute(double seconds)
{
    volatile double sum = 0.0;
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 1; i < 5000; i++)
            sum += 1.0 / i;
}

OWN_NAME static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

OWN_NAME static void waste_time(void)
{
    compute(ROUND);
}

/* Every rank draws the same numbers. */
static int draw(unsigned *state, int ranks)
{
    *state = *state * 1103515245u + 12345u;
    return (int)((*state >> 16) % (unsigned)ranks);
}

int main(int argc, char **argv)
{
    int rank, ranks, checksum = 0, rounds = (int)((argc > 1 ? atof(argv[1]) : 6.0) / ROUND);
    unsigned state = 1999;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < rounds; round++) {
        int slow = draw(&state, ranks);
        if (rank == slow)
            waste_time();
        checksum = (checksum * 31 + slow) % 65521;
        meet();
    }
    if (rank == 0)
        printf("random_barrier: %d barriers, draws %d\n", rounds, checksum);
    MPI_Finalize();
    return 0;
}
