/* Calls whose bytes are easily counted wrong: between two groups, in place, without an operation, cancelled, failed, more at once
 * than can be remembered, at the edge of a grid. Each function is one case of the test that runs this.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls -Wno-stringop-overflow mpi_bytes.c -o mpi_bytes
 * run: mpirun -n 3 mpi_bytes [truncated]
 * expect: mpi_bytes: done
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SPACE = 4096, MANY = 20000, LATER = 3000 };

#define CASE __attribute__((noinline, noclone)) static void

static int rank, size, right, left;
static int out[SPACE], in[SPACE];

/* A list that ends where memory ends. */
static int *list_at_the_edge(int length, int value)
{
    long page = sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + page, page, PROT_NONE);
    int *list = (int *)(pages + page) - length;
    for (int i = 0; i < length; i++)
        list[i] = value;
    return list;
}

CASE in_place(void)
{
    int counts[3] = {1, 2, 3};
    MPI_Reduce_scatter_block(MPI_IN_PLACE, in, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

CASE between_groups(void)
{
    MPI_Comm group, both;
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 5, &both);
    int *counts = rank == 0 ? list_at_the_edge(1, 4) : list_at_the_edge(2, 2);
    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, both);
    MPI_Reduce_scatter_block(out, in, counts[0], MPI_INT, MPI_SUM, both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&group);
}

CASE no_operation(void)
{
    MPI_Win window;
    long *memory, result;
    MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(long));
    MPI_Win_fence(0, window);
    MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, &result, 1, MPI_LONG, right, 0, 1, MPI_LONG, MPI_NO_OP, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

CASE one_element(void)
{
    MPI_Win window;
    long *memory, one = 1, result;
    MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, 4 * sizeof(long));
    MPI_Win_fence(0, window);
    MPI_Fetch_and_op(&one, &result, MPI_LONG, right, 0, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

CASE cancelled(void)
{
    MPI_Request request;
    MPI_Status status;
    memset(&status, 0x55, sizeof status);
    MPI_Irecv(in, 100, MPI_INT, rank, 77, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Irecv(in, 100, MPI_INT, rank, 77, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

CASE more_than_remembered(MPI_Request *requests, int *space)
{
    for (int i = 0; i < MANY; i++)
        MPI_Irecv(space + i, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < MANY; i++)
        MPI_Isend(out, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[MANY + i]);
    MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE);
}

CASE remembered_again(MPI_Request *requests, int *space)
{
    for (int i = 0; i < LATER; i++)
        MPI_Irecv(space + i, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < LATER; i++)
        MPI_Send(out, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
    MPI_Waitall(LATER, requests, MPI_STATUSES_IGNORE);
}

CASE at_the_edge(void)
{
    MPI_Comm line;
    int lengths[2] = {3, 1}, periods[2] = {0, 0};
    int sent[4] = {1, 2, 3, 4}, received[4] = {2, 1, 4, 3}, places[4] = {0, 4, 8, 12};
    MPI_Cart_create(MPI_COMM_WORLD, 2, lengths, periods, 0, &line);
    MPI_Neighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, line);
    MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, line);
    MPI_Neighbor_alltoallv(out, sent, places, MPI_INT, in, received, places, MPI_INT, line);
    MPI_Comm_free(&line);
}

/* The second of two messages is too long. */
CASE one_failed(MPI_Status *statuses)
{
    MPI_Request requests[2];
    MPI_Irecv(in + 100, 50, MPI_INT, left, 22, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in, 1, MPI_INT, left, 21, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(out, 50, MPI_INT, right, 22, MPI_COMM_WORLD);
    MPI_Send(out, 10, MPI_INT, right, 21, MPI_COMM_WORLD);
    if (MPI_Waitall(2, requests, statuses) != MPI_ERR_IN_STATUS)
        printf("mpi_bytes: nothing failed\n");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    in_place();
    between_groups();
    no_operation();
    one_element();
    cancelled();
    at_the_edge();
    MPI_Request *requests = malloc(2 * MANY * sizeof *requests);
    int *space = malloc(MANY * sizeof *space);
    more_than_remembered(requests, space);
    remembered_again(requests, space);
    if (argc > 1) {
        MPI_Status statuses[2];
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        one_failed(statuses);
        one_failed(MPI_STATUSES_IGNORE);
    }
    free(space);
    free(requests);
    if (rank == 0)
        printf("mpi_bytes: done\n");
    MPI_Finalize();
    return 0;
}
