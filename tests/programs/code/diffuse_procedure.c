/* One function takes the time, in every one of the ranks alike.
 *
 * build: mpicc -O2 diffuse_procedure.c -o diffuse_procedure
 * run: mpirun -n 4 diffuse_procedure [seconds]
 * hypothesis: CPUbound
 * function: /Code/diffuse_procedure.c/spread
 * object: none
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define OWN_NAME __attribute__((noipa, noinline))

static double grind(double x, int rounds)
{
    for (int i = 0; i < rounds; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    return x;
}

OWN_NAME double spread(double x) { return grind(x, 100000); }
OWN_NAME double gather(double x) { return grind(x, 500); }
OWN_NAME double check(double x) { return grind(x, 200); }

int main(int argc, char **argv)
{
    int rank;
    double length = argc > 1 ? atof(argv[1]) : 10.0, x = 0.5;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double end = MPI_Wtime() + length;
    while (MPI_Wtime() < end)
        x = check(gather(spread(x)));
    if (rank == 0)
        printf("diffuse_procedure: %.3f\n", x);
    MPI_Finalize();
    return 0;
}
