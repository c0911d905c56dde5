/* The square of the distance between two steps, within a rank's block. */
#include "block.h"

OWN_NAME double diff(const struct block *g, const double *a, const double *b)
{
    double sum = 0.0;
    for (int j = g->sy; j <= g->ey; j++)
        for (int i = g->sx; i <= g->ex; i++) {
            double d = a[at(g, i, j)] - b[at(g, i, j)];
            sum += d * d;
        }
    return sum;
}
