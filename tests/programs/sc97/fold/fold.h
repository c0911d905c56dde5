/* What the modules of the folding chain share. */
#ifndef FOLD_H
#define FOLD_H

/* Inlining or cloning would take a function's name away from the diagnosis. */
#define OWN_NAME __attribute__((noipa))

enum { KINDS = 4, MOST_THREADS = 16, REACH = 60, BOX = 256 };

/* A part of the chain; places are whole numbers, so that sums do not depend on their order. */
struct residue {
    int x, y, z, kind;
};

/* What contacts between two kinds of residues come to. */
struct contacts {
    long long energy, count;
};

void start_chain(struct residue *chain, int residues);
void move_residues(struct residue *chain, int first, int last, int step);

static inline int square_distance(const struct residue *one, const struct residue *other)
{
    int x = one->x - other->x, y = one->y - other->y, z = one->z - other->z;
    return x * x + y * y + z * z;
}

/* Attraction less repulsion, in whole numbers. */
static inline long long energy_of(const struct residue *one, const struct residue *other)
{
    long long near = square_distance(one, other) + 1, sixth = near * near * near;
    return 1000000000000LL / sixth - 1000000000LL / near / (1 + one->kind + other->kind);
}

/* The global matrix: where it lies, and who adds to it, is what the versions differ in. */
void clear_matrix(int thread);
void take_contact(const struct residue *chain, int thread, int one, int other);
void complete_matrix(const struct residue *chain, int thread, int threads);
struct contacts sum_of_matrix(int threads);

#endif
