/* Each way in which messages and collective calls are made, a known number of times.
 *
 * build: mpicc -g -O2 traced.c -o traced
 * run: mpirun -n 4 traced ROUNDS
 * expect: one line; a trace has for each rank and round 4 sends with a request, 4 receives, 1 sum over half of the ranks, and 1 barrier
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words)
{
    int rank, ranks, rounds = count > 1 ? atoi(words[1]) : 10;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Comm half, twin;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    double out[64] = {0}, in[5][64], sum = 0, own = rank;
    MPI_Request prepared[2];
    MPI_Send_init(out, 3, MPI_DOUBLE, next, 11, twin, &prepared[0]);
    MPI_Recv_init(in[0], 64, MPI_DOUBLE, before, 11, twin, &prepared[1]);
    for (int round = 0; round < rounds; round++) {
        /* Wildcards, completed together: what they matched is known from the statuses alone. */
        MPI_Request requests[4];
        MPI_Irecv(in[1], 64, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, half, &requests[0]);
        int peer, members;
        MPI_Comm_rank(half, &peer);
        MPI_Comm_size(half, &members);
        MPI_Isend(out, 5, MPI_DOUBLE, (peer + 1) % members, 21, half, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Startall(2, prepared);
        MPI_Waitall(2, prepared, MPI_STATUSES_IGNORE);
        MPI_Sendrecv(out, 7, MPI_DOUBLE, next, 31, in[2], 64, MPI_DOUBLE, before, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Request sent;
        MPI_Isend(out, 9, MPI_DOUBLE, next, 41, MPI_COMM_WORLD, &sent);
        MPI_Recv(in[3], 64, MPI_DOUBLE, MPI_ANY_SOURCE, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int done = 0;
        while (!done)
            MPI_Test(&sent, &done, MPI_STATUS_IGNORE);
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, half);
        MPI_Request met;
        MPI_Ibarrier(MPI_COMM_WORLD, &met);
        MPI_Wait(&met, MPI_STATUS_IGNORE);
    }
    /* Receives that are given up: nothing comes, and a trace has none of them. */
    MPI_Request given_up[2];
    MPI_Irecv(in[4], 32, MPI_DOUBLE, MPI_ANY_SOURCE, 51, twin, &given_up[0]);
    MPI_Irecv(in[4] + 32, 32, MPI_DOUBLE, before, 52, twin, &given_up[1]);
    MPI_Cancel(&given_up[0]);
    MPI_Cancel(&given_up[1]);
    MPI_Waitall(2, given_up, MPI_STATUSES_IGNORE);
    MPI_Request_free(&prepared[0]);
    MPI_Request_free(&prepared[1]);
    MPI_Comm_free(&half);
    MPI_Comm_free(&twin);
    if (rank == 0)
        printf("traced: sum %.0f\n", sum);
    MPI_Finalize();
    return 0;
}
