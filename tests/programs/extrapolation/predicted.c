/* Six programs whose run on this machine is predicted from traces, the same with a planted cost taken out, and in variants.
 *
 * build: mpicc -g -O2 -I<include> predicted.c -o predicted -lm
 * run: mpirun -n RANKS predicted NAME STEPS [REGION=FACTOR | without=barrier | without=sum | blocks=N | every=N | split=SHARE]
 * expect: one line, "predicted: NAME elapsed SECONDS"; `cargo xtask study predicted` compares it with what the simulation says
 *
 * halo       exchanges both borders by requests, and computes
 * uneven     computes unevenly, and meets at a barrier
 * sums       multiplies a matrix by a vector, and adds up over all ranks
 * farm       the first rank gives out work to whoever asks, and takes any answer; alone, it works itself
 * wave       each rank waits for the one before it, block by block
 * transpose  computes, and exchanges all with all
 */
#include "whyperf.h"

#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static whyperf_region solve = WHYPERF_REGION("solve");
static whyperf_region update = WHYPERF_REGION("update");

static int rank, ranks;
static double solve_factor = 1, update_factor = 1;
static int without_barrier, without_sum;
/* Blocks of a wave, steps from one barrier to the next, and what the first of two ranks does of the sums. */
static int blocks = 4, every = 1;
static double split;
static double field[4096];

/* So much arithmetic on values that stay in the cache, about a millisecond for 100 units. */
__attribute__((noipa)) static void compute(whyperf_region *region, double units)
{
    long rounds = (long)(units * (region == &solve ? solve_factor : update_factor));
    whyperf_begin(region);
    for (long round = 0; round < rounds; round++)
        for (int i = 1; i < 4095; i++)
            field[i] = 0.25 * (field[i - 1] + field[i + 1]) + 0.5 * field[i] + 1e-9;
    whyperf_end(region);
}

static void halo(int steps)
{
    static double out[2][1024], in[2][1024];
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    for (int step = 0; step < steps; step++) {
        MPI_Request requests[4];
        MPI_Irecv(in[0], 1024, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(in[1], 1024, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(out[0], 1024, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(out[1], 1024, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[3]);
        compute(&update, 30);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        compute(&solve, 70.0 * 2 / (ranks + 1));
    }
}

static void uneven(int steps)
{
    for (int step = 0; step < steps; step++) {
        compute(&solve, (step % ranks == rank ? 120 : 60) * 2.0 / (ranks + 1));
        compute(&update, 20);
        if (!without_barrier && (step + 1) % every == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void sums(int steps)
{
    double all[64], mine[64] = {0};
    double part = split > 0 ? 100 * (rank ? 1 - split : split) : 80.0 / ranks + 10 * rank;
    for (int step = 0; step < steps; step++) {
        compute(&solve, part);
        mine[0] = field[7];
        if (!without_sum)
            MPI_Allreduce(mine, all, 64, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        compute(&update, 15);
    }
}

static void farm(int steps)
{
    if (ranks == 1) {
        for (int step = 0; step < steps; step++)
            compute(&solve, 40 + 20 * (step % 3));
        return;
    }
    if (rank == 0) {
        int given = 0, answered = 0;
        double answer;
        for (int to = 1; to < ranks && given < steps; to++, given++)
            MPI_Send(&given, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
        for (; answered < steps; answered++) {
            MPI_Status status;
            MPI_Recv(&answer, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            compute(&update, 5);
            if (given < steps) {
                MPI_Send(&given, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
                given++;
            }
        }
        int end = -1;
        for (int to = 1; to < ranks; to++)
            MPI_Send(&end, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
        return;
    }
    for (;;) {
        int work;
        MPI_Recv(&work, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (work < 0)
            return;
        compute(&solve, 40 + 20 * (work % 3));
        MPI_Send(&field[3], 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    }
}

static void wave(int steps)
{
    static double border[2048];
    for (int step = 0; step < steps; step++) {
        for (int block = 0; block < blocks; block++) {
            if (rank > 0)
                MPI_Recv(border, 2048, MPI_DOUBLE, rank - 1, block, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            compute(&solve, 120.0 / ranks / blocks);
            if (rank + 1 < ranks)
                MPI_Send(border, 2048, MPI_DOUBLE, rank + 1, block, MPI_COMM_WORLD);
        }
        compute(&update, 20);
        /* The next wave begins where this one ended. */
        double x = field[2];
        MPI_Bcast(&x, 1, MPI_DOUBLE, ranks - 1, MPI_COMM_WORLD);
    }
}

static void transpose(int steps)
{
    static double out[16384], in[16384];
    for (int step = 0; step < steps; step++) {
        compute(&solve, 90.0 / ranks);
        MPI_Alltoall(out, 16384 / ranks, MPI_DOUBLE, in, 16384 / ranks, MPI_DOUBLE, MPI_COMM_WORLD);
        compute(&update, 10);
    }
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        void (*run)(int);
    } programs[] = {{"halo", halo}, {"uneven", uneven}, {"sums", sums}, {"farm", farm}, {"wave", wave}, {"transpose", transpose}};
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (count < 3) {
        fprintf(stderr, "predicted NAME STEPS [REGION=FACTOR | without=barrier | without=sum | blocks=N | every=N | split=SHARE]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int at = 3; at < count; at++) {
        if (!strncmp(words[at], "solve=", 6))
            solve_factor = atof(words[at] + 6);
        else if (!strncmp(words[at], "update=", 7))
            update_factor = atof(words[at] + 7);
        else if (!strcmp(words[at], "without=barrier"))
            without_barrier = 1;
        else if (!strcmp(words[at], "without=sum"))
            without_sum = 1;
        else if (!strncmp(words[at], "blocks=", 7))
            blocks = atoi(words[at] + 7);
        else if (!strncmp(words[at], "every=", 6))
            every = atoi(words[at] + 6);
        else if (!strncmp(words[at], "split=", 6))
            split = atof(words[at] + 6);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime(), own, elapsed;
    for (unsigned at = 0; at < sizeof programs / sizeof *programs; at++)
        if (!strcmp(words[1], programs[at].name))
            programs[at].run(atoi(words[2]));
    own = MPI_Wtime() - begin;
    MPI_Reduce(&own, &elapsed, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("predicted: %s elapsed %.6f\n", words[1], elapsed);
    MPI_Finalize();
    return 0;
}
