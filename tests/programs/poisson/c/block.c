/* Dividing the grid among ranks, its memory and its boundary values. */
#include "block.h"

#include <stdio.h>
#include <stdlib.h>

void decompose(int n, int parts, int part, int *first, int *last)
{
    int size = n / parts, rest = n % parts;
    *first = part * size + (part < rest ? part : rest) + 1;
    *last = *first + size - 1 + (part < rest);
}

double *new_grid(const struct block *g)
{
    double *grid = calloc(block_width(g) * (size_t)(g->ey - g->sy + 3), sizeof *grid);
    if (!grid) {
        fprintf(stderr, "poisson: no memory for a grid of %d by %d points\n", g->n, g->n);
        exit(2);
    }
    return grid;
}

/* One on the left and bottom edges of the whole grid, zero elsewhere and no source. */
OWN_NAME void init(const struct block *g, double *a, double *b, double *f)
{
    for (int j = g->sy - 1; j <= g->ey + 1; j++)
        for (int i = g->sx - 1; i <= g->ex + 1; i++) {
            double edge = i == 0 || j == 0 ? 1.0 : 0.0;
            a[at(g, i, j)] = b[at(g, i, j)] = edge;
            f[at(g, i, j)] = 0.0;
        }
}

void read_arguments(int argc, char **argv, int *n, int *iterations)
{
    *n = argc > 1 ? atoi(argv[1]) : 1024;
    *iterations = argc > 2 ? atoi(argv[2]) : 1000;
    if (*n < 8 || *iterations < 1) {
        fprintf(stderr, "usage: %s [grid size, at least 8] [iterations]\n", argv[0]);
        exit(2);
    }
}
