/* Two ranks that send, receive, reduce and gather, until the first says that it is enough. */
#include "rounds.h"

#include <mpi.h>

static void exchanged(int rank)
{
    double out[3000], in[3000];
    for (int size = 1; size <= 3000; size *= 7) {
        for (int at = 0; at < size; at++)
            out[at] = rank * 1000 + at * 0.5;
        MPI_Request requests[2];
        MPI_Irecv(in, size, MPI_DOUBLE, 1 - rank, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, size, MPI_DOUBLE, 1 - rank, 3, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        note(in, (size_t)size * sizeof *in);
        MPI_Status status;
        MPI_Sendrecv(out, size, MPI_DOUBLE, 1 - rank, 4, in, size, MPI_DOUBLE, 1 - rank, 4, MPI_COMM_WORLD,
            &status);
        int count;
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        note_number(count);
    }
}

static void together(int rank)
{
    int numbers[4] = { rank, rank + 1, rank * 2, 5 }, sums[4], all[8];
    MPI_Allreduce(numbers, sums, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgather(numbers, 4, MPI_INT, all, 4, MPI_INT, MPI_COMM_WORLD);
    note(sums, sizeof sums);
    note(all, sizeof all);
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
    MPI_Barrier(half);
    MPI_Comm_free(&half);
    MPI_Datatype column;
    MPI_Type_vector(3, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Bcast(all, 1, column, 1, MPI_COMM_WORLD);
    MPI_Type_free(&column);
    note(all, sizeof all);
    char packed[64];
    int place = 0;
    MPI_Pack(numbers, 4, MPI_INT, packed, sizeof packed, &place, MPI_COMM_WORLD);
    note_number(place);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, enough;
    uint64_t first = 0;
    long odd = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *end = getenv("END_OF_TORTURE");
    for (long round = 0;; round++) {
        digest = 1;
        enough = rank == 0 && (!end || access(end, F_OK) == 0);
        MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
        exchanged(rank);
        together(rank);
        first = round ? first : digest;
        odd += digest != first;
        if (enough)
            break;
    }
    unsigned long long mine = first, both[2];
    long wrong;
    MPI_Gather(&mine, 1, MPI_UNSIGNED_LONG_LONG, both, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    MPI_Reduce(&odd, &wrong, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("a round comes to %016llx and %016llx\n", both[0], both[1]);
        if (wrong)
            printf("%ld rounds were not alike\n", wrong);
        else
            printf("all rounds were alike\n");
    }
    MPI_Finalize();
    return 0;
}
