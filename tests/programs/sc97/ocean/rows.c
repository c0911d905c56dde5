/* Exchanges rows with the neighbours straight from where they lie, each by a message of its own: the port. */
#include "ocean.h"

enum { TAG_NORTH = 11, TAG_HEIGHT = 12, TAG_EAST = 13 };

/* The flow over the upper edge is that over the lower edge of the worker above. */
OWN_NAME void exchange_from_above(struct band *b)
{
    int length = b->size + 1;
    MPI_Sendrecv(&b->north[at(b, 0, b->first)], length, MPI_DOUBLE, b->below, TAG_NORTH,
                 &b->north[at(b, 0, b->last + 1)], length, MPI_DOUBLE, b->above, TAG_NORTH, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

OWN_NAME void exchange_from_below(struct band *b)
{
    int length = b->size + 1;
    MPI_Sendrecv(&b->height[at(b, 0, b->last)], length, MPI_DOUBLE, b->above, TAG_HEIGHT,
                 &b->height[at(b, 0, b->first - 1)], length, MPI_DOUBLE, b->below, TAG_HEIGHT, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&b->east[at(b, 0, b->last)], length, MPI_DOUBLE, b->above, TAG_EAST,
                 &b->east[at(b, 0, b->first - 1)], length, MPI_DOUBLE, b->below, TAG_EAST, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}
