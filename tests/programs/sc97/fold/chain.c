/* The chain: where its residues begin, and how they move. */
#include "fold.h"

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

void start_chain(struct residue *chain, int residues)
{
    unsigned state = 7;
    for (int i = 0; i < residues; i++)
        chain[i] = (struct residue){(int)(next_random(&state) % BOX), (int)(next_random(&state) % BOX),
                                    (int)(next_random(&state) % BOX), (int)(next_random(&state) % KINDS)};
}

OWN_NAME void move_residues(struct residue *chain, int first, int last, int step)
{
    for (int i = first; i < last; i++) {
        unsigned state = (unsigned)(i * 7919 + step * 104729);
        chain[i].x = (chain[i].x + (int)(next_random(&state) % 5) + BOX - 2) % BOX;
        chain[i].y = (chain[i].y + (int)(next_random(&state) % 5) + BOX - 2) % BOX;
        chain[i].z = (chain[i].z + (int)(next_random(&state) % 5) + BOX - 2) % BOX;
    }
}
