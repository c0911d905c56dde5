/* The part of the grid that one rank owns, and the functions all versions of the solver share. */
#ifndef BLOCK_H
#define BLOCK_H

#include <stddef.h>

/* Inlining or cloning would take a function's name away from the diagnosis. */
#define OWN_NAME __attribute__((noipa))

/* Columns sx..ex and rows sy..ey of an n by n grid; memory holds one ghost line on each side. */
struct block {
    int n;
    int sx, ex, sy, ey;
};

static inline size_t block_width(const struct block *g)
{
    return (size_t)(g->ex - g->sx + 3);
}

static inline size_t at(const struct block *g, int i, int j)
{
    return (size_t)(j - g->sy + 1) * block_width(g) + (size_t)(i - g->sx + 1);
}

void decompose(int n, int parts, int part, int *first, int *last);
double *new_grid(const struct block *g);
void init(const struct block *g, double *a, double *b, double *f);
void sweep(const struct block *g, const double *a, const double *f, double *b);
double diff(const struct block *g, const double *a, const double *b);
void read_arguments(int argc, char **argv, int *n, int *iterations);

#endif
