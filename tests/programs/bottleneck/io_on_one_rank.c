/* Rank 0 writes the whole result file while the other ranks wait for it in a barrier.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls io_on_one_rank.c -o io_on_one_rank
 * run: mpirun -n 2 io_on_one_rank [seconds] [folder]
 * hypothesis: ExcessiveIOBlockingTime on process 0 (and, its effect, ExcessiveSyncWaitingTime on the others)
 * function: /Code/io_on_one_rank.c/write_result (the others: /Code/io_on_one_rank.c/wait_for_file)
 * object: /File/<folder>/io_on_one_rank (the others: /SyncObject/Barrier)
 * shows: ExcessiveIOBlockingTime, IOSerializedOnOneProcess, WaitsCausedByIO
 * may show: ExcessiveSyncWaitingTime, ExcessiveCollectiveWaitingTime, LateArrivalAtCollectives
 * refutes: WaitsCausedByBlocking, TooManySmallIOOps, ExcessiveMetadataTime, ExcessivePointToPointWaitingTime, CPUbound
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

/* Work measured by the thread's own processor time, so that no other load on the machine changes its amount. */
OWN_NAME static void compute(double seconds)
{
    volatile double sum = 0.0;
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 1; i < 5000; i++)
            sum += 1.0 / i;
}

/* Blocks go to the file over and over until the round's time is up. */
OWN_NAME static int write_result(int file)
{
    static char block[BLOCK];
    int failed = 0;
    double end = seconds_of(CLOCK_MONOTONIC) + ROUND;
    for (int i = 0; seconds_of(CLOCK_MONOTONIC) < end; i++)
        failed += pwrite(file, block, BLOCK, (off_t)(i % BLOCKS) * BLOCK) != BLOCK;
    return failed;
}

OWN_NAME static void wait_for_file(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static int open_result(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0) {
        perror(path);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return file;
}

int main(int argc, char **argv)
{
    int rank, file = -1, failed = 0, rounds = (int)((argc > 1 ? atof(argv[1]) : 6.0) / ROUND);
    char path[4096];
    snprintf(path, sizeof path, "%s/io_on_one_rank", argc > 2 ? argv[2] : "/tmp");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        file = open_result(path);
    for (int round = 0; round < rounds; round++) {
        if (rank == 0)
            failed += write_result(file);
        else
            compute(ROUND * 0.02);
        wait_for_file();
    }
    if (rank == 0) {
        close(file);
        unlink(path);
        printf("io_on_one_rank: %d rounds, %d writes failed\n", rounds, failed);
    }
    MPI_Finalize();
    return 0;
}
