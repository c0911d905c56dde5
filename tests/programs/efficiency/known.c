/* Ranks that know their efficiencies: each says how long it was outside of MPI, whoever else had the processors.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls known.c -o known
 * run: mpirun -n RANKS known uneven|turns|both [seconds]
 * uneven: rank r of n works (r + 1) / n of each round, then all meet: load balance (n + 1) / 2n, communication 1
 * turns:  one rank after the other works 1 / n of each round, the others wait for it: load balance 1, communication 1 / n
 * both:   half of the time each, as phases 2 and 3
 * These are what the patterns come to on a machine with nothing else to do. On standard error each rank says of each part:
 *   known: rank R of RANKS in PHASE computed SECONDS of SECONDS
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double ROUND = 0.2;

/* Sleeping counts as work: it is neither MPI nor input and output. */
static void work(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&t, &t) && errno == EINTR)
        ;
}

static double in_mpi;

/* The time of a call counts as inside. */
#define INSIDE(call)                     \
    do {                                 \
        double before = MPI_Wtime();     \
        call;                            \
        in_mpi += MPI_Wtime() - before;  \
    } while (0)

static void pass_on(int rank, int ranks, int *token)
{
    if (rank > 0)
        INSIDE(MPI_Recv(token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    work(ROUND / ranks);
    ++*token;
    INSIDE(MPI_Send(token, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD));
    if (rank == 0)
        INSIDE(MPI_Recv(token, 1, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* One call of write, so that lines of ranks do not mix. */
static void tell(int rank, int ranks, int phase, double begin)
{
    char line[128];
    double elapsed = MPI_Wtime() - begin;
    int length = snprintf(line, sizeof line, "known: rank %d of %d in %d computed %.6f of %.6f\n", rank, ranks, phase,
                          elapsed - in_mpi, elapsed);
    in_mpi = 0;
    if (write(2, line, (size_t)length) != length)
        exit(1);
}

int main(int argc, char **argv)
{
    int rank, ranks, token = 0;
    const char *pattern = argc > 1 ? argv[1] : "uneven";
    int rounds = (int)((argc > 2 ? atof(argv[2]) : 6.0) / ROUND);
    int both = !strcmp(pattern, "both"), turns = !strcmp(pattern, "turns");
    work(0.3); /* before MPI: it must not count */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double begin = MPI_Wtime();
    if (both)
        MPI_Pcontrol(2);
    for (int round = 0; round < rounds; round++) {
        if (both && round == rounds / 2) {
            tell(rank, ranks, 2, begin);
            begin = MPI_Wtime();
            MPI_Pcontrol(3);
        }
        if (turns || (both && round >= rounds / 2)) {
            pass_on(rank, ranks, &token);
        } else {
            work(ROUND * (rank + 1) / ranks);
            INSIDE(MPI_Barrier(MPI_COMM_WORLD));
        }
    }
    tell(rank, ranks, both ? 3 : 0, begin);
    MPI_Finalize();
    work(0.3); /* and after it */
    return 0;
}
