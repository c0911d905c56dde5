/* Every rank writes its own part of the result for the same time, then they meet.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls io_on_all_ranks.c -o io_on_all_ranks
 * run: mpirun -n 2 io_on_all_ranks [seconds] [folder]
 * hypothesis: ExcessiveIOBlockingTime
 * function: /Code/io_on_all_ranks.c/write_part
 * object: /File/<folder>/io_on_all_ranks
 * shows: ExcessiveIOBlockingTime
 * may show: ExcessiveSyncWaitingTime, ExcessiveCollectiveWaitingTime, LateArrivalAtCollectives, WaitsCausedByIO, CPUbound
 * refutes: IOSerializedOnOneProcess, ExcessiveMetadataTime, TooManySmallIOOps, ExcessivePointToPointWaitingTime
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
enum { BLOCK = 1 << 20, BLOCKS = 64 };
static const double ROUND = 0.200;

/* Blocks go to the file over and over until the round's time is up. */
OWN_NAME static int write_part(int file)
{
    static char block[BLOCK];
    int failed = 0;
    double end = seconds_of(CLOCK_MONOTONIC) + ROUND;
    for (int i = 0; seconds_of(CLOCK_MONOTONIC) < end; i++)
        failed += pwrite(file, block, BLOCK, (off_t)(i % BLOCKS) * BLOCK) != BLOCK;
    return failed;
}

int main(int argc, char **argv)
{
    int rank, failed = 0, rounds = (int)((argc > 1 ? atof(argv[1]) : 6.0) / ROUND);
    char path[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s/io_on_all_ranks.%d", argc > 2 ? argv[2] : "/tmp", rank);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0) {
        perror(path);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int round = 0; round < rounds; round++) {
        failed += write_part(file);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    close(file);
    unlink(path);
    if (rank == 0)
        printf("io_on_all_ranks: %d rounds, %d writes failed\n", rounds, failed);
    MPI_Finalize();
    return 0;
}
