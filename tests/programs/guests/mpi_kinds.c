/* Calls of each kind of MPI, with the arguments that are easily mishandled: ignored statuses, null requests and datatypes, roots in
 * place, many requests, error returns, handles that come back.
 *
 * build: mpicc -g -O2 -Wno-stringop-overflow mpi_kinds.c -o mpi_kinds
 * run: mpirun -n 2 mpi_kinds [scratch file]
 * expect: one line a rank with the same sum every time
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { SPACE = 4096, MANY = 200 };

static int rank, size, right, left;
static long sum;
static int out[SPACE], in[SPACE];

static void add(const int *values, int count)
{
    for (int i = 0; i < count; i++)
        sum = (sum * 31 + values[i]) % 1000003;
}

static void fill(void)
{
    for (int i = 0; i < SPACE; i++) {
        out[i] = rank * 1000 + i;
        in[i] = -1;
    }
}

static int class_of(int error)
{
    int class;
    MPI_Error_class(error, &class);
    return class;
}

/* More requests than fit on a stack, completed at once. */
static void many_requests(void)
{
    MPI_Request requests[2 * MANY];
    for (int i = 0; i < MANY; i++)
        MPI_Irecv(in + i, 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < MANY; i++)
        MPI_Isend(out + i, 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[MANY + i]);
    MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE);
    add(in, MANY);
}

static void some_and_none(void)
{
    MPI_Request requests[8];
    MPI_Status statuses[8];
    int indices[8], done = 0, count, flag, index;
    for (int i = 0; i < 4; i++) {
        MPI_Irecv(in + 10 * i, 10, MPI_INT, left, 500 + i, MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(out + 10 * i, 5 + i, MPI_INT, right, 500 + i, MPI_COMM_WORLD, &requests[4 + i]);
    }
    while (done < 8) {
        MPI_Waitsome(8, requests, &count, indices, statuses);
        for (int i = 0; i < count; i++) {
            int length;
            MPI_Get_count(&statuses[i], MPI_INT, &length);
            if (indices[i] < 4)
                sum += length * statuses[i].MPI_TAG;
        }
        done += count;
    }
    add(in, 40);
    MPI_Testsome(8, requests, &count, indices, MPI_STATUSES_IGNORE);
    MPI_Testany(8, requests, &index, &flag, MPI_STATUS_IGNORE);
    sum += (count == MPI_UNDEFINED) + 2 * flag + 4 * (index == MPI_UNDEFINED);
    MPI_Testall(8, requests, &flag, MPI_STATUSES_IGNORE);
    sum += flag;
}

static void persistent(void)
{
    MPI_Request both[2];
    MPI_Send_init(out, 16, MPI_INT, right, 7, MPI_COMM_WORLD, &both[0]);
    MPI_Recv_init(in, 32, MPI_INT, left, 7, MPI_COMM_WORLD, &both[1]);
    for (int i = 0; i < 5; i++) {
        MPI_Startall(2, both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        add(in, 16);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}

static void found_messages(void)
{
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    int count;
    MPI_Isend(out, 3, MPI_INT, right, 9, MPI_COMM_WORLD, &request);
    MPI_Mprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Mrecv(in, count, MPI_INT, &message, MPI_STATUS_IGNORE);
    add(in, 3);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void collectives(void)
{
    int counts[8], places[8];
    MPI_Request request;
    for (int i = 0; i < 8; i++) {
        counts[i] = i % 3 + 1;
        places[i] = 4 * i;
    }
    MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, MPI_COMM_WORLD);
    add(in, 2 * size);
    if (rank == 0)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Gather(out, 2, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Scatterv(out, counts, places, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD);
    else
        MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, in, counts[rank], MPI_INT, 1, MPI_COMM_WORLD);
    add(in, 1);
    MPI_Iallreduce(out, in, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    add(in, 5);
}

static void communicators(void)
{
    MPI_Comm part, copy, both, merged;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    MPI_Comm_dup(part, &copy);
    MPI_Barrier(copy);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &both);
    MPI_Barrier(both);
    MPI_Intercomm_merge(both, rank % 2, &merged);
    MPI_Barrier(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&both);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&part);
    for (int i = 0; i < 3000; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &copy);
        MPI_Comm_free(&copy);
    }
}

/* A freed datatype's handle comes back with another size. */
static void datatypes(void)
{
    for (int i = 1; i < 50; i++) {
        MPI_Datatype several;
        MPI_Type_contiguous(i, MPI_INT, &several);
        MPI_Type_commit(&several);
        MPI_Sendrecv(out, 1, several, right, 77, in, 1, several, left, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        add(in, i);
        MPI_Type_free(&several);
    }
}

static void window(void)
{
    MPI_Win window;
    int *memory;
    MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, 64 * sizeof(int));
    MPI_Win_set_name(window, "halo");
    MPI_Win_fence(0, window);
    MPI_Put(out, 4, MPI_INT, right, 0, 4, MPI_INT, window);
    MPI_Win_fence(0, window);
    add(memory, 4);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
    MPI_Get(in, 4, MPI_INT, right, 0, 4, MPI_INT, window);
    MPI_Win_unlock(right, window);
    add(in, 4);
    MPI_Win_free(&window);
}

static void file(const char *path)
{
    MPI_File file;
    MPI_Status status;
    int count;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * 400, out, 100, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(file, right * 400, in, 100, MPI_INT, MPI_STATUS_IGNORE);
    add(in, 100);
    MPI_File_close(&file);
    if (rank == 0)
        MPI_File_delete(path, MPI_INFO_NULL);
    sum += count;
}

/* Wrong arguments and a message that is too long, with errors returned. */
static void errors(void)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    sum += class_of(MPI_Send(out, -1, MPI_INT, right, 0, MPI_COMM_WORLD)) == MPI_ERR_COUNT;
    sum += class_of(MPI_Send(out, 1, MPI_DATATYPE_NULL, right, 0, MPI_COMM_WORLD)) == MPI_ERR_TYPE;
    /* Not by MPI_Waitall: Open MPI 4.1 sometimes waits for ever once one of its requests has failed. */
    MPI_Isend(out, 3, MPI_INT, right, 1, MPI_COMM_WORLD, &request);
    sum += class_of(MPI_Recv(in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    memset(&status, 0x77, sizeof status);
    MPI_Sendrecv(out, 1, MPI_INT, right, 2, in, 2, MPI_INT, left, 2, MPI_COMM_WORLD, &status);
    sum += status.MPI_ERROR == 0x77777777;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    fill();
    many_requests();
    some_and_none();
    persistent();
    found_messages();
    collectives();
    communicators();
    datatypes();
    window();
    file(argc > 1 ? argv[1] : "mpi_kinds.scratch");
    errors();
    MPI_Pcontrol(2, "any", 1.5);
    for (int turn = 0; turn < size; turn++) {
        if (turn == rank) {
            printf("mpi_kinds: rank %d, sum %ld\n", rank, sum);
            fflush(stdout);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
