/* A scripted sequence of MPI calls on 2 ranks whose calls and bytes are known exactly: see expected.json.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls pattern.c -o pattern
 * run: mpirun -n 2 pattern [scratch file]
 * expect: no diagnosis, the numbers of expected.json
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SPACE = 256 };

static int rank, other, sum;
static int out[SPACE], in[SPACE], more[SPACE];

static void add(const int *values, int count)
{
    for (int i = 0; i < count; i++)
        sum = (sum * 7 + values[i]) % 100003;
}

static void point_to_point(void)
{
    MPI_Status status;
    if (rank == 0) {
        MPI_Send(out, 10, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(out, 10, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Ssend(out, 7, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Recv(in, 100, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        add(in, 10);
        MPI_Recv(in, 100, MPI_INT, 0, 2, MPI_COMM_WORLD, &status);
        add(in, 10);
        MPI_Recv(in, 7, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        add(in, 7);
    }
    MPI_Sendrecv(out, 8, MPI_INT, other, 4, in, 16, MPI_INT, other, 4, MPI_COMM_WORLD, &status);
    add(in, 8);
}

static void wait_for_all(void)
{
    MPI_Request requests[4];
    MPI_Irecv(in, 3, MPI_INT, other, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(more, 9, MPI_INT, other, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out, 3, MPI_INT, other, 5, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out, 5, MPI_INT, other, 6, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    add(in, 3);
    add(more, 5);
}

/* Whether the test finds the send complete may differ; its and the wait's numbers do not. */
static void test_and_wait(void)
{
    int flag;
    MPI_Request request;
    MPI_Status status;
    if (rank == 0) {
        MPI_Isend(out, 12, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(in, 20, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        add(in, 12);
    }
}

static void wait_for_any(void)
{
    int index;
    MPI_Request requests[2];
    MPI_Status status;
    if (rank == 0) {
        MPI_Send(out, 4, MPI_INT, 1, 8, MPI_COMM_WORLD);
        MPI_Send(out, 6, MPI_INT, 1, 9, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(in, 4, MPI_INT, 0, 8, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(more, 6, MPI_INT, 0, 9, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        MPI_Waitany(2, requests, &index, &status);
        add(in, 4);
        add(more, 6);
    }
}

static void wildcards(void)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(in, 50, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        add(in, 2);
        MPI_Recv(in, 50, MPI_INT, MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        add(in, 3);
        MPI_Irecv(in, 50, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        add(in, 4);
    } else {
        MPI_Send(out, 2, MPI_INT, 0, 10, MPI_COMM_WORLD);
        MPI_Send(out, 3, MPI_INT, 0, 11, MPI_COMM_WORLD);
        MPI_Send(out, 4, MPI_INT, 0, 12, MPI_COMM_WORLD);
    }
}

static void probe(void)
{
    if (rank == 0) {
        MPI_Send(out, 9, MPI_INT, 1, 13, MPI_COMM_WORLD);
    } else {
        int count;
        MPI_Status status;
        MPI_Probe(0, 13, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Recv(in, count, MPI_INT, 0, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        add(in, count);
    }
}

static void persistent(void)
{
    MPI_Request request;
    if (rank == 0)
        MPI_Send_init(out, 11, MPI_INT, 1, 14, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(in, 30, MPI_INT, 0, 14, MPI_COMM_WORLD, &request);
    for (int round = 0; round < 3; round++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    if (rank == 1)
        add(in, 11);
}

/* Three pairs of integers, each pair two integers apart from the next: 24 bytes of data. */
static void derived_datatype(void)
{
    MPI_Datatype pairs;
    MPI_Type_vector(3, 2, 4, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    if (rank == 0) {
        MPI_Send(out, 2, pairs, 1, 15, MPI_COMM_WORLD);
    } else {
        MPI_Recv(in, 20, MPI_INT, 0, 15, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        add(in, 12);
    }
    MPI_Type_free(&pairs);
}

static void collectives(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(rank == 0 ? out : in, 25, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce(out, more, 5, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    MPI_Allreduce(out, in, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    add(in, 4);
    MPI_Alltoall(out, 3, MPI_INT, in, 3, MPI_INT, MPI_COMM_WORLD);
    add(in, 6);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void communicators(void)
{
    MPI_Comm copy, part;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_name(copy, "copy of the world");
    MPI_Bcast(rank == 1 ? out : in, 2, MPI_INT, 1, copy);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &part);
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, part);
    add(in, 1);
    MPI_Comm_free(&part);
    MPI_Comm_free(&copy);
}

static void one_sided(void)
{
    MPI_Win window;
    MPI_Win_create(in, 64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(out, 6, MPI_INT, 1, 0, 6, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    if (rank == 1)
        add(in, 6);
}

/* Rank 1's part is the end of the file, so its read of 20 integers gets 10. */
static void file(const char *path)
{
    MPI_File file;
    int length = (int)sizeof(int), posted = rank == 0 ? 10 : 20;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_seek(file, rank * 10 * length, MPI_SEEK_SET);
    MPI_File_write(file, out, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, rank * 10 * length, in, posted, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    add(in, 10);
}

/* What lies between the pause and the resumption is not counted. */
static void control(void)
{
    MPI_Pcontrol(2);
    MPI_Pcontrol(0);
    MPI_Bcast(rank == 0 ? out : in, 7, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Pcontrol(1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    for (int i = 0; i < SPACE; i++)
        out[i] = 1000 * rank + i + 1;
    point_to_point();
    wait_for_all();
    test_and_wait();
    wait_for_any();
    wildcards();
    probe();
    persistent();
    derived_datatype();
    collectives();
    communicators();
    one_sided();
    file(argc > 1 ? argv[1] : "pattern.scratch");
    control();
    out[0] = sum;
    MPI_Gather(out, 6, MPI_INT, in, 6, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("pattern: checksums %d %d\n", in[0], in[6]);
    MPI_Finalize();
    return 0;
}
