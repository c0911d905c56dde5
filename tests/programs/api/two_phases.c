/* Two phases with different reasons to be slow: all ranks write files, then all wait for the one that works.
 * The first is announced by name, the second by MPI_Pcontrol, whose level is its name. A rank that sleeps instead
 * of computing works just as long on a machine that is busy.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls -I<include> two_phases.c -o two_phases -lpthread
 * run: mpirun -n 4 two_phases [seconds of each phase]
 * expect: phase "save": ExcessiveIOBlockingTime in /Code/two_phases.c/save, and no waiting
 * expect: phase "2": ExcessiveSyncWaitingTime in /Code/two_phases.c/wait_for_work, and no output
 */
#include "whyperf.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define OWN_NAME __attribute__((noipa))

static void sleep_ms(long ms)
{
    struct timespec rest = {.tv_sec = 0, .tv_nsec = ms * 1000000};
    nanosleep(&rest, NULL);
}

/* Takes what was written slowly: whoever writes waits for it, whatever the disk does. */
static void *drain(void *pipe)
{
    static char block[1 << 16];
    while (read(*(int *)pipe, block, sizeof block) > 0)
        sleep_ms(20);
    return NULL;
}

OWN_NAME static void save(int out, double end)
{
    static char block[1 << 16];
    while (MPI_Wtime() < end)
        if (write(out, block, sizeof block) < 0)
            return;
}

OWN_NAME static void wait_for_work(int rank, double end)
{
    int go_on = 1;
    while (go_on) {
        if (rank == 0) {
            sleep_ms(20);
            go_on = MPI_Wtime() < end;
        }
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 3.0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int ends[2];
    pthread_t drainer;
    if (pipe(ends) || pthread_create(&drainer, NULL, drain, &ends[0])) {
        fprintf(stderr, "two_phases: no pipe or no thread\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    whyperf_phase("save");
    save(ends[1], MPI_Wtime() + seconds);
    close(ends[1]);
    pthread_join(drainer, NULL);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Pcontrol(2);
    wait_for_work(rank, MPI_Wtime() + seconds);

    if (rank == 0)
        printf("two_phases: done\n");
    MPI_Finalize();
    return 0;
}
