/* One step of the shallow water equations over the rows of a worker: heights, then flow to the east, then to the north.
 *
 * Each cell is computed from the same numbers in the same order, whoever owns it: the result does not depend on the number of workers.
 */
#include "ocean.h"

static const double DEPTH_PER_CELL = 0.02, GRAVITY_PER_CELL = 0.2, CORIOLIS = 0.01, FRICTION = 0.001;

OWN_NAME void step_heights(struct band *b)
{
    for (int row = b->first; row <= b->last; row++)
        for (int column = 0; column < b->size; column++) {
            double out = b->east[at(b, column + 1, row)] - b->east[at(b, column, row)] +
                         b->north[at(b, column, row + 1)] - b->north[at(b, column, row)];
            b->height[at(b, column, row)] -= DEPTH_PER_CELL * out;
        }
}

/* The walls on both sides stay at rest. */
OWN_NAME void step_eastward(struct band *b)
{
    for (int row = b->first; row <= b->last; row++)
        for (int column = 1; column < b->size; column++) {
            double across = 0.25 * (b->north[at(b, column, row)] + b->north[at(b, column - 1, row)] +
                                    b->north[at(b, column, row + 1)] + b->north[at(b, column - 1, row + 1)]);
            double slope = b->height[at(b, column, row)] - b->height[at(b, column - 1, row)];
            double *flow = &b->east[at(b, column, row)];
            *flow += CORIOLIS * across - GRAVITY_PER_CELL * slope - FRICTION * *flow + b->wind[row - b->first];
        }
}

OWN_NAME void step_northward(struct band *b)
{
    for (int row = b->first > 0 ? b->first : 1; row <= b->last; row++)
        for (int column = 0; column < b->size; column++) {
            double across = 0.25 * (b->east[at(b, column, row)] + b->east[at(b, column + 1, row)] +
                                    b->east[at(b, column, row - 1)] + b->east[at(b, column + 1, row - 1)]);
            double slope = b->height[at(b, column, row)] - b->height[at(b, column, row - 1)];
            double *flow = &b->north[at(b, column, row)];
            *flow += -CORIOLIS * across - GRAVITY_PER_CELL * slope - FRICTION * *flow;
        }
}

OWN_NAME struct report report_of(const struct band *b)
{
    struct report of = {0.0, 0.0};
    for (int row = b->first; row <= b->last; row++)
        for (int column = 0; column < b->size; column++) {
            double height = b->height[at(b, column, row)], east = b->east[at(b, column, row)],
                   north = b->north[at(b, column, row)];
            of.volume += height;
            of.energy += 0.5 * (GRAVITY_PER_CELL * height * height + DEPTH_PER_CELL * (east * east + north * north));
        }
    return of;
}
