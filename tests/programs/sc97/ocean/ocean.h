/* What the modules of the ocean share: a basin of water under wind, in bands of rows. */
#ifndef OCEAN_H
#define OCEAN_H

#include <mpi.h>
#include <stddef.h>

/* Inlining or cloning would take a function's name away from the diagnosis. */
#define OWN_NAME __attribute__((noipa))

/* Tags of the messages that both ports have; those of rows between neighbours are the port's own. */
enum { TAG_WIND = 1, TAG_REPORT = 2, TAG_ROWS = 3 };

/* The basin has `size` by `size` cells. A worker owns rows `first` to `last`, and has one more on each side. */
struct band {
    int size, first, last;
    double *height, *east, *north; /* in the middle of each cell, on its western and on its southern side */
    double *wind;                  /* one for each row */
    int below, above;              /* the neighbours' ranks, or MPI_PROC_NULL */
};

/* What a worker tells of its rows. */
struct report {
    double volume, energy;
};

static inline size_t at(const struct band *b, int column, int row)
{
    return (size_t)(row - b->first + 1) * (size_t)(b->size + 1) + (size_t)column;
}

void wind_of_step(double *wind, int rows, int step);
void step_heights(struct band *b);
void step_eastward(struct band *b);
void step_northward(struct band *b);
struct report report_of(const struct band *b);
void exchange_from_above(struct band *b);
void exchange_from_below(struct band *b);

#endif
