/* Exchanges rows with the neighbours as strips that are packed and unpacked number by number, as an older library wants it: before the port. */
#include "ocean.h"

#include <stdio.h>
#include <stdlib.h>

enum { TAG_UPPER_STRIP = 21, TAG_LOWER_STRIP = 22 };

/* Room for the strips of one exchange, to be sent and received. */
static double *room(const struct band *b)
{
    static double *memory;
    if (!memory)
        memory = malloc(4 * (size_t)(b->size + 1) * sizeof *memory);
    if (!memory) {
        fprintf(stderr, "ocean: no memory for strips\n");
        exit(2);
    }
    return memory;
}

/* Numbers as text of a fixed length would be sent between unlike machines: here the eight bytes of each, the most significant first. */
OWN_NAME void pack_strip(double *strip, const double *row, int length)
{
    unsigned char *out = (unsigned char *)strip;
    for (int i = 0; i < length; i++) {
        union {
            double number;
            unsigned long long bits;
        } of = {row[i]};
        for (int byte = 7; byte >= 0; byte--)
            *out++ = (unsigned char)(of.bits >> (8 * byte));
    }
}

OWN_NAME void unpack_strip(double *row, const double *strip, int length)
{
    const unsigned char *in = (const unsigned char *)strip;
    for (int i = 0; i < length; i++) {
        union {
            unsigned long long bits;
            double number;
        } of = {0};
        for (int byte = 0; byte < 8; byte++)
            of.bits = of.bits << 8 | *in++;
        row[i] = of.number;
    }
}

OWN_NAME void exchange_from_above(struct band *b)
{
    int length = b->size + 1;
    double *out = room(b), *in = out + length;
    pack_strip(out, &b->north[at(b, 0, b->first)], length);
    MPI_Sendrecv(out, length, MPI_DOUBLE, b->below, TAG_UPPER_STRIP, in, length, MPI_DOUBLE, b->above,
                 TAG_UPPER_STRIP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (b->above != MPI_PROC_NULL)
        unpack_strip(&b->north[at(b, 0, b->last + 1)], in, length);
}

OWN_NAME void exchange_from_below(struct band *b)
{
    int length = b->size + 1;
    double *out = room(b), *in = out + 2 * length;
    pack_strip(out, &b->height[at(b, 0, b->last)], length);
    pack_strip(out + length, &b->east[at(b, 0, b->last)], length);
    MPI_Sendrecv(out, 2 * length, MPI_DOUBLE, b->above, TAG_LOWER_STRIP, in, 2 * length, MPI_DOUBLE, b->below,
                 TAG_LOWER_STRIP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (b->below != MPI_PROC_NULL) {
        unpack_strip(&b->height[at(b, 0, b->first - 1)], in, length);
        unpack_strip(&b->east[at(b, 0, b->first - 1)], in + length, length);
    }
}
