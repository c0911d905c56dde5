/* Times calls of MPI that return at once, each in a loop of its own: prints a name and the nanoseconds of one call a line.
 *
 * build: mpicc -O2 mpi_calls.c -o mpi_calls
 * run: mpi_calls <calls in a loop> [off]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void probe(void)
{
    int flag;
    MPI_Status status;
    MPI_Iprobe(0, 3, MPI_COMM_SELF, &flag, &status);
}

static void exchange(void)
{
    double out = 0, in;
    MPI_Sendrecv(&out, 1, MPI_DOUBLE, 0, 3, &in, 1, MPI_DOUBLE, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* Three calls. */
static void requests(void)
{
    double out = 0, in;
    MPI_Request both[2];
    MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 4, MPI_COMM_SELF, &both[0]);
    MPI_Isend(&out, 1, MPI_DOUBLE, 0, 4, MPI_COMM_SELF, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_SELF);
}

static void print_cost(const char *name, void (*step)(void), int calls, int in_step)
{
    double start = now();
    for (int i = 0; i < calls; i++)
        step();
    printf("%s %.2f\n", name, (now() - start) / calls / in_step);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int calls = argc > 1 ? atoi(argv[1]) : 100000;
    if (argc > 2 && strcmp(argv[2], "off") == 0) {
        /* A region is registered at its first call, and can be off only then. */
        probe(), exchange(), requests(), barrier();
        MPI_Pcontrol(0);
    }
    print_cost("MPI_Iprobe", probe, calls, 1);
    print_cost("MPI_Sendrecv", exchange, calls, 1);
    print_cost("MPI_Irecv+Isend+Waitall", requests, calls, 3);
    print_cost("MPI_Barrier", barrier, calls, 1);
    MPI_Finalize();
    return 0;
}
