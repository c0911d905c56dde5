/* One Jacobi step over a rank's block: the computation of every version. */
#include "block.h"

OWN_NAME void sweep(const struct block *g, const double *a, const double *f, double *b)
{
    double h = 1.0 / (g->n + 1);
    for (int j = g->sy; j <= g->ey; j++)
        for (int i = g->sx; i <= g->ex; i++)
            b[at(g, i, j)] = 0.25 * (a[at(g, i - 1, j)] + a[at(g, i, j + 1)] + a[at(g, i, j - 1)] +
                                     a[at(g, i + 1, j)] - h * h * f[at(g, i, j)]);
}
