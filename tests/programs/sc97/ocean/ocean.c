/* An ocean of one layer under wind, by a master and workers: the master knows the wind of each step and books what the workers report.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls ocean.c wind.c step.c rows.c -o ocean -lm      (strips.c in place of rows.c: before the port)
 * run: mpirun -n RANKS ocean [cells on each side] [steps]
 * expect: `ocean: 256 cells, 400 steps, volume kept, energy 1.234567e+00, digest 0123456789abcdef`, the same for any number of ranks from 2 on
 * exit: 1 where water was lost, the energy is no number, or a row came back twice or not at all
 * bottleneck: the workers wait for the wind in receive_wind while the master is in wind_of_step, and the master for their reports
 */
#include "ocean.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_EVERY = 10 };

static double *new_rows(const struct band *b, int rows)
{
    double *memory = calloc((size_t)(b->size + 1) * (size_t)rows, sizeof *memory);
    if (!memory) {
        fprintf(stderr, "ocean: no memory for %d rows\n", rows);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

/* The rows of one of so many workers. */
static void divide(int size, int workers, int worker, int *first, int *last)
{
    int rows = size / workers, rest = size % workers;
    *first = worker * rows + (worker < rest ? worker : rest);
    *last = *first + rows - 1 + (worker < rest);
}

/* A hill of water in the south-west of the basin. */
static void fill(struct band *b)
{
    for (int row = b->first; row <= b->last; row++)
        for (int column = 0; column < b->size; column++) {
            double x = column / (double)b->size - 0.3, y = row / (double)b->size - 0.4;
            b->height[at(b, column, row)] = exp(-50.0 * (x * x + y * y));
        }
}

OWN_NAME void receive_wind(struct band *b)
{
    MPI_Recv(b->wind, b->last - b->first + 1, MPI_DOUBLE, 0, TAG_WIND, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

OWN_NAME void send_report(const struct band *b)
{
    struct report of = report_of(b);
    MPI_Send(&of, 2, MPI_DOUBLE, 0, TAG_REPORT, MPI_COMM_WORLD);
}

OWN_NAME void worker(int size, int steps, int rank, int workers)
{
    struct band b = {.size = size};
    divide(size, workers, rank - 1, &b.first, &b.last);
    b.below = rank > 1 ? rank - 1 : MPI_PROC_NULL;
    b.above = rank < workers ? rank + 1 : MPI_PROC_NULL;
    int rows = b.last - b.first + 3;
    b.height = new_rows(&b, rows), b.east = new_rows(&b, rows), b.north = new_rows(&b, rows);
    b.wind = new_rows(&b, 1);
    fill(&b);
    send_report(&b);
    for (int step = 1; step <= steps; step++) {
        receive_wind(&b);
        exchange_from_above(&b);
        step_heights(&b);
        step_eastward(&b);
        exchange_from_below(&b);
        step_northward(&b);
        if (step % REPORT_EVERY == 0)
            send_report(&b);
    }
    int own = (size + 1) * (b.last - b.first + 1);
    MPI_Send(&b.height[at(&b, 0, b.first)], own, MPI_DOUBLE, 0, TAG_ROWS, MPI_COMM_WORLD);
    free(b.height), free(b.east), free(b.north), free(b.wind);
}

OWN_NAME void send_wind(const double *wind, int size, int workers)
{
    for (int each = 0; each < workers; each++) {
        int first, last;
        divide(size, workers, each, &first, &last);
        MPI_Send(&wind[first], last - first + 1, MPI_DOUBLE, each + 1, TAG_WIND, MPI_COMM_WORLD);
    }
}

OWN_NAME struct report collect_reports(int workers)
{
    struct report all = {0.0, 0.0}, one;
    for (int each = 1; each <= workers; each++) {
        MPI_Recv(&one, 2, MPI_DOUBLE, each, TAG_REPORT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        all.volume += one.volume;
        all.energy += one.energy;
    }
    return all;
}

/* All heights, in the order of the rows, as one number; each row comes once. */
static unsigned long long collect_rows(int size, int workers)
{
    struct band whole = {.size = size};
    double *rows = new_rows(&whole, size);
    unsigned long long digest = 1469598103934665603ull;
    for (int each = 0; each < workers; each++) {
        int first, last, length;
        divide(size, workers, each, &first, &last);
        MPI_Status status;
        MPI_Recv(rows, (size + 1) * size, MPI_DOUBLE, each + 1, TAG_ROWS, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &length);
        if (length != (size + 1) * (last - first + 1)) {
            fprintf(stderr, "ocean: worker %d sent %d numbers\n", each + 1, length);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        for (int i = 0; i < length; i++) {
            unsigned long long bits;
            memcpy(&bits, &rows[i], sizeof bits);
            digest = (digest ^ bits) * 1099511628211ull;
        }
    }
    free(rows);
    return digest;
}

OWN_NAME int master(int size, int steps, int workers)
{
    double *wind = calloc((size_t)size, sizeof *wind);
    struct report begin = collect_reports(workers), now = begin;
    if (!wind)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int step = 1; step <= steps; step++) {
        wind_of_step(wind, size, step);
        send_wind(wind, size, workers);
        if (step % REPORT_EVERY == 0)
            now = collect_reports(workers);
    }
    unsigned long long digest = collect_rows(size, workers);
    free(wind);
    int is_kept = fabs(now.volume - begin.volume) <= 1e-9 * fabs(begin.volume), is_number = isfinite(now.energy);
    printf("ocean: %d cells, %d steps, volume %s, energy %.6e, digest %016llx\n", size, steps,
           is_kept ? "kept" : "lost", now.energy, digest);
    return is_kept && is_number ? 0 : 1;
}

int main(int argc, char **argv)
{
    int rank, ranks, status = 0;
    int size = argc > 1 ? atoi(argv[1]) : 256, steps = argc > 2 ? atoi(argv[2]) : 400;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 2 || size < ranks || steps < 1) {
        fprintf(stderr, "usage: mpirun -n RANKS, at least 2, %s [cells, at least RANKS] [steps]\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (rank == 0)
        status = master(size, steps, ranks - 1);
    else
        worker(size, steps, rank, ranks - 1);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}
