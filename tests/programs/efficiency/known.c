/* Ranks whose efficiencies are known. Work is time by the clock, so no other load on the machine changes it.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls known.c -o known
 * run: mpirun -n RANKS known uneven|turns|both [seconds]
 * uneven: rank r of n works (r + 1) / n of each round, then all meet: load balance (n + 1) / 2n, communication 1
 * turns:  one rank after the other works 1 / n of each round, the others wait for it: load balance 1, communication 1 / n
 * both:   half of the time each, as phases 2 and 3
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double ROUND = 0.2;

/* Sleeping counts as work: it is neither MPI nor input and output. */
static void work(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&t, &t) && errno == EINTR)
        ;
}

static void pass_on(int rank, int ranks, int *token)
{
    if (rank > 0)
        MPI_Recv(token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(ROUND / ranks);
    ++*token;
    MPI_Send(token, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(token, 1, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, ranks, token = 0;
    const char *pattern = argc > 1 ? argv[1] : "uneven";
    int rounds = (int)((argc > 2 ? atof(argv[2]) : 6.0) / ROUND);
    work(0.3); /* before MPI: it must not count */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!strcmp(pattern, "both"))
        MPI_Pcontrol(2);
    for (int round = 0; round < rounds; round++) {
        if (!strcmp(pattern, "both") && round == rounds / 2)
            MPI_Pcontrol(3);
        if (!strcmp(pattern, "turns") || (!strcmp(pattern, "both") && round >= rounds / 2)) {
            pass_on(rank, ranks, &token);
        } else {
            work(ROUND * (rank + 1) / ranks);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    work(0.3); /* and after it */
    return 0;
}
