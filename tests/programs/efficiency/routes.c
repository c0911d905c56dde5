/* Ranks that count their own messages: random ones, in each way in which one can send, by communicators in which ranks have other numbers.
 *
 * build: mpicc -g -O2 routes.c -o routes
 * run: mpirun -n RANKS routes [seed] [rounds]
 * All draw the same numbers, so all know who sends how much to whom in each round, by which communicator, in which way. Some rounds begin with
 * a sender that sleeps. At the end, on standard error:
 *   routes: sent FROM TO MESSAGES BYTES
 *   routes: waited FROM TO SECONDS      for the calls that wait for this rank alone, by the receiver's own clock
 *   routes: together TO SECONDS         for those that wait for several ranks at once
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 16, LARGEST = 100000 };

/* Each round has a tag of its own, so that a wildcard receives nothing of a later one. */
static int rank, size, tag;
static unsigned long state;
static char out[LARGEST], in[LARGEST], more[MOST][LARGEST];
static double sent[MOST], bytes[MOST], waited[MOST], together;

static unsigned drawn(unsigned below)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return (unsigned)(state >> 33) % below;
}

static void count(int to, int length)
{
    sent[to] += 1;
    bytes[to] += length;
}

/* A communicator, with the rank that each rank of the world has in it as somebody to send to; -1 where it is not there. */
struct group {
    MPI_Comm comm;
    int member, to[MOST];
};

enum { GROUPS = 5 };
static struct group groups[GROUPS];

static void know(struct group *group, MPI_Comm comm, const int *to)
{
    group->comm = comm;
    for (int other = 0; other < size; other++)
        group->to[other] = to[other];
}

static void make_groups(void)
{
    int same[MOST], turned[MOST], half[MOST], across[MOST];
    for (int other = 0; other < size; other++) {
        same[other] = other;
        turned[other] = size - 1 - other;
        half[other] = other / 2;
        across[other] = other / 2;
    }
    MPI_Comm copy, reversed, parted, inter;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed);
    MPI_Comm_split(copy, rank % 2, rank, &parted);
    MPI_Intercomm_create(parted, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &inter);
    know(&groups[0], MPI_COMM_WORLD, same);
    know(&groups[1], copy, same);
    know(&groups[2], reversed, turned);
    know(&groups[3], parted, half);
    know(&groups[4], inter, across);
}

static void sleep_for(double seconds)
{
    struct timespec t = {0, (long)(seconds * 1e9)};
    nanosleep(&t, NULL);
}

/* The sender is `from`, the receiver `to`; each of the others does nothing. */
static void exchange(int from, int to, unsigned way, const struct group *group, int length)
{
    MPI_Comm comm = group->comm;
    int dest = group->to[to], source = group->to[from];
    int is_sender = rank == from, is_receiver = rank == to;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    if (is_sender) {
        count(to, length);
        switch (way) {
        case 0:
            MPI_Ssend(out, length, MPI_BYTE, dest, tag, comm);
            break;
        case 1:
            MPI_Isend(out, length, MPI_BYTE, dest, tag, comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            break;
        case 2:
            MPI_Send_init(out, length, MPI_BYTE, dest, tag, comm, &request);
            MPI_Start(&request);
            MPI_Wait(&request, &status);
            count(to, length);
            MPI_Start(&request);
            MPI_Wait(&request, &status);
            MPI_Request_free(&request);
            break;
        default:
            MPI_Send(out, length, MPI_BYTE, dest, tag, comm);
        }
        MPI_Send(out, length, MPI_BYTE, MPI_PROC_NULL, tag, comm);
    }
    if (is_receiver) {
        double begin = MPI_Wtime();
        int times = way == 2 ? 2 : 1, flag = 0;
        for (int time = 0; time < times; time++) {
            switch (way % 5) {
            case 0:
                MPI_Recv(in, LARGEST, MPI_BYTE, source, tag, comm, MPI_STATUS_IGNORE);
                break;
            case 1:
                MPI_Recv(in, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, tag, comm, &status);
                break;
            case 2:
                MPI_Irecv(in, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, tag, comm, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                break;
            case 3: {
                MPI_Message message;
                MPI_Mprobe(source, tag, comm, &message, MPI_STATUS_IGNORE);
                begin = MPI_Wtime();
                MPI_Mrecv(in, LARGEST, MPI_BYTE, &message, MPI_STATUS_IGNORE);
                break;
            }
            default:
                MPI_Irecv(in, LARGEST, MPI_BYTE, source, tag, comm, &request);
                while (!flag) {
                    begin = MPI_Wtime();
                    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
                }
            }
        }
        waited[from] += MPI_Wtime() - begin;
        MPI_Recv(in, LARGEST, MPI_BYTE, MPI_PROC_NULL, tag, comm, MPI_STATUS_IGNORE);
    }
}

/* Each sends to all others and waits for all of them at once. */
static void all_at_once(int length)
{
    MPI_Request requests[2 * MOST];
    int used = 0;
    for (int other = 0; other < size; other++)
        if (other != rank) {
            MPI_Irecv(more[other], LARGEST, MPI_BYTE, other, tag, MPI_COMM_WORLD, &requests[used++]);
            MPI_Isend(out, length, MPI_BYTE, other, tag, MPI_COMM_WORLD, &requests[used++]);
            count(other, length);
        }
    double begin = MPI_Wtime();
    MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
    together += MPI_Wtime() - begin;
}

/* Each sends to the next one and receives from the one before. */
static void in_a_ring(int length)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    double begin = MPI_Wtime();
    MPI_Sendrecv(out, length, MPI_BYTE, next, tag, in, LARGEST, MPI_BYTE, before, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    waited[before] += MPI_Wtime() - begin;
    count(next, length);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    state = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    int rounds = argc > 2 ? atoi(argv[2]) : 200;
    if (size > MOST || size < 2)
        return 2;
    make_groups();
    for (int round = 0; round < rounds; round++) {
        tag = 10 + round;
        int length = (int)drawn(2) ? (int)drawn(200) : (int)drawn(LARGEST);
        unsigned kind = drawn(10);
        int from = (int)drawn((unsigned)size), to = (int)drawn((unsigned)size);
        const struct group *group = &groups[drawn(GROUPS)];
        unsigned way = drawn(5);
        int is_late = drawn(8) == 0;
        if (is_late && rank == from)
            sleep_for(0.02);
        if (kind == 0)
            all_at_once(length);
        else if (kind == 1)
            in_a_ring(length);
        else if (from != to) {
            int is_same = from % 2 == to % 2;
            if ((group == &groups[3] && !is_same) || (group == &groups[4] && is_same))
                group = &groups[2];
            exchange(from, to, way, group, length);
        }
    }
    for (int turn = 0; turn < size; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (turn != rank)
            continue;
        for (int other = 0; other < size; other++) {
            if (sent[other] > 0)
                fprintf(stderr, "routes: sent %d %d %.0f %.0f\n", rank, other, sent[other], bytes[other]);
            if (waited[other] > 0)
                fprintf(stderr, "routes: waited %d %d %.6f\n", other, rank, waited[other]);
        }
        fprintf(stderr, "routes: together %d %.6f\n", rank, together);
    }
    MPI_Finalize();
    return 0;
}
