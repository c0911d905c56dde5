/* A program that loads MPI by dlopen with RTLD_LOCAL and calls it through pointers, as plugins do.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls dlopen_mpi.c -o dlopen_mpi -ldl
 * run: mpirun -n 2 dlopen_mpi libmpi.so.40 (or libmpich.so.12)
 * expect: its line, and 1000 visits of MPI_Sendrecv on each rank
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Handles differ between the families: addresses of objects, or plain numbers. */
struct handles {
    uintptr_t world, integer, status_ignore;
};

static void *find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol) {
        fprintf(stderr, "dlopen_mpi: %s\n", dlerror());
        exit(2);
    }
    return symbol;
}

static struct handles find_handles(void *library)
{
    void *world = dlsym(library, "ompi_mpi_comm_world");
    if (world)
        return (struct handles){(uintptr_t)world, (uintptr_t)find(library, "ompi_mpi_int"), 0};
    return (struct handles){0x44000000, 0x4c000405, 1};
}

int main(int argc, char **argv)
{
    void *library = dlopen(argc > 1 ? argv[1] : "libmpi.so.40", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "dlopen_mpi: %s\n", dlerror());
        return 2;
    }
    int (*init)(int *, char ***) = (int (*)(int *, char ***))find(library, "MPI_Init");
    int (*comm_rank)(uintptr_t, int *) = (int (*)(uintptr_t, int *))find(library, "MPI_Comm_rank");
    int (*comm_size)(uintptr_t, int *) = (int (*)(uintptr_t, int *))find(library, "MPI_Comm_size");
    int (*sendrecv)(const void *, int, uintptr_t, int, int, void *, int, uintptr_t, int, int,
                    uintptr_t, uintptr_t) =
        (int (*)(const void *, int, uintptr_t, int, int, void *, int, uintptr_t, int, int, uintptr_t,
                 uintptr_t))find(library, "MPI_Sendrecv");
    int (*finalize)(void) = (int (*)(void))find(library, "MPI_Finalize");

    struct handles h = find_handles(library);
    int rank, ranks, sum = 0;
    init(&argc, &argv);
    comm_rank(h.world, &rank);
    comm_size(h.world, &ranks);
    for (int i = 0; i < 1000; i++) {
        int value = 0;
        sendrecv(&i, 1, h.integer, (rank + 1) % ranks, 1, &value, 1, h.integer,
                 (rank + ranks - 1) % ranks, 1, h.world, h.status_ignore);
        sum += value;
    }
    if (rank == 0)
        printf("dlopen_mpi: sum %d\n", sum);
    finalize();
    return 0;
}
