/* A program that dies of SIGSEGV in the middle; with -DWITH_MPI after some traffic, on the last rank.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls crash.c -o crash (or: mpicc -g -O2 -fno-optimize-sibling-calls -DWITH_MPI crash.c -o crash_mpi)
 * run: crash (or: mpirun -n 2 crash_mpi)
 * expect: the exit status and the messages it has by itself, and a report of what was measured until then
 */
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include <stdio.h>

static volatile int *volatile nowhere;

__attribute__((noipa)) static void fail(void)
{
    *nowhere = 1;
}

#ifdef WITH_MPI
int main(int argc, char **argv)
{
    int rank, ranks, value, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 1000; i++) {
        MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % ranks, 1, &value, 1, MPI_INT,
                     (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value;
    }
    if (rank == 0) {
        printf("crash: traffic done, sum %d\n", sum);
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1)
        fail();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
#else
int main(void)
{
    FILE *file = fopen("/proc/self/cmdline", "r");
    int first = file ? fgetc(file) : EOF;
    printf("crash: %s read\n", first == EOF ? "nothing" : "file");
    fflush(stdout);
    fail();
    return 0;
}
#endif
