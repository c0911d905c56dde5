/* Ranks that know because of whom they wait: each keeps a trace of what it did when, and the first one goes through all of them at the end.
 *
 * build: mpicc -g -O2 -fno-optimize-sibling-calls planted.c -o planted
 * run: mpirun -n RANKS planted slow|order|writer|root|chain|turns|aside|pairs|balanced [seconds]
 * slow:     rank 0 computes four times as long as the others, in `slow_part`, then all meet
 * order:    rank 0 receives from rank 1, which computes for long, and then from rank 2, whose message was there before; then all meet
 * writer:   rank 1 writes a file while the others wait for it
 * root:     rank 0 sleeps before it broadcasts what the others wait for
 * chain:    each rank sleeps, then the next one may; the first one longest
 * turns:    one rank after the other is the slow one
 * aside:    rank 1 sleeps before each message to rank 2, and rank 0 does nothing with them until all meet
 * pairs:    each rank of even number is late for the next one, and no pair meets another until all meet: rank 0 sleeps, the others compute
 * balanced: all sleep for the same time, then meet
 * While a rank waits for another one, what that one does is the cause; if that one waits, too, what the one does that it waits for. On standard
 * error, for each rank that others waited for, with what it did and its part of all waiting:
 *   planted: rank R blocked|computing|io SHARE
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum did { COMPUTED, WROTE, SLEPT, WAITED, KINDS };
static const char *const names[WAITED] = {"computing", "io", "blocked"};

/* The last one to come is who is waited for where all meet. */
enum { LAST_TO_COME = -1 };

/* All numbers, so that it can be sent. */
struct stretch {
    double begin, end, did, for_whom, meeting;
};

enum { MOST = 4096 };
static struct stretch trace[MOST];
static int known, meetings;
static int file;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void keep(double begin, enum did did, int for_whom)
{
    if (known < MOST)
        trace[known++] = (struct stretch){begin, now(), did, for_whom, meetings};
}

__attribute__((noinline)) static void slow_part(double seconds)
{
    double begin = now();
    volatile double x = 1;
    while (now() < begin + seconds)
        for (int i = 0; i < 1000; i++)
            x = x * 1.0000001 + 1e-9;
    keep(begin, COMPUTED, 0);
}

static void write_part(double seconds)
{
    static char block[1 << 20];
    double begin = now();
    while (now() < begin + seconds)
        if (pwrite(file, block, sizeof block, 0) < 0)
            exit(1);
    keep(begin, WROTE, 0);
}

static void sleep_part(double seconds)
{
    double begin = now();
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&t, &t) && errno == EINTR)
        ;
    keep(begin, SLEPT, 0);
}

static void meet(void)
{
    double begin = now();
    MPI_Barrier(MPI_COMM_WORLD);
    keep(begin, WAITED, LAST_TO_COME);
    meetings++;
}

static void take_from(int rank)
{
    int token;
    double begin = now();
    MPI_Recv(&token, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    keep(begin, WAITED, rank);
}

static void give_to(int rank)
{
    int token = 1;
    MPI_Send(&token, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
}

static void share_from_root(void)
{
    int token = 1;
    double begin = now();
    MPI_Bcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD);
    keep(begin, WAITED, 0);
}

static void round_of(const char *pattern, int round, int rank, int ranks)
{
    if (!strcmp(pattern, "slow")) {
        slow_part(rank == 0 ? 0.4 : 0.1);
    } else if (!strcmp(pattern, "order")) {
        if (rank == 0) {
            take_from(1);
            take_from(2);
        } else {
            slow_part(rank == 1 ? 0.4 : 0.05);
            give_to(0);
            if (rank == 2)
                sleep_part(0.2);
        }
    } else if (!strcmp(pattern, "writer")) {
        sleep_part(0.1);
        if (rank == 1)
            write_part(0.4);
    } else if (!strcmp(pattern, "root")) {
        if (rank == 0)
            sleep_part(0.5);
        share_from_root();
        sleep_part(0.1);
    } else if (!strcmp(pattern, "chain")) {
        if (rank > 0)
            take_from(rank - 1);
        sleep_part(0.8 / (1 << rank));
        if (rank + 1 < ranks)
            give_to(rank + 1);
    } else if (!strcmp(pattern, "aside")) {
        for (int step = 0; step < 80; step++) {
            if (rank == 2)
                take_from(1);
            else
                sleep_part(0.1);
            if (rank == 1)
                give_to(2);
        }
    } else if (!strcmp(pattern, "pairs")) {
        for (int step = 0; step < 20; step++) {
            if (rank % 2)
                take_from(rank - 1);
            else if (rank)
                slow_part(0.1);
            else
                sleep_part(0.1);
            if (rank % 2 == 0 && rank + 1 < ranks)
                give_to(rank + 1);
        }
    } else if (!strcmp(pattern, "turns")) {
        sleep_part(round % ranks == rank ? 0.6 : 0.1);
    } else {
        sleep_part(0.2);
    }
    meet();
}

/* By rank: its trace. */
static struct stretch *all;
static int *lengths;
static double *caused;

static int last_to_come(int meeting, int ranks)
{
    int last = 0;
    double latest = 0;
    for (int rank = 0; rank < ranks; rank++)
        for (int at = 0; at < lengths[rank]; at++) {
            struct stretch *one = &all[rank * MOST + at];
            if (one->did == WAITED && one->for_whom == LAST_TO_COME && one->meeting == meeting && one->begin > latest) {
                latest = one->begin;
                last = rank;
            }
        }
    return last;
}

/* Somebody waited for this one from `begin` to `end`. */
static void blame(const struct stretch *wait, double begin, double end, int ranks, int depth)
{
    int who = wait->for_whom == LAST_TO_COME ? last_to_come((int)wait->meeting, ranks) : (int)wait->for_whom;
    for (int at = 0; at < lengths[who] && depth < 2 * ranks; at++) {
        const struct stretch *one = &all[who * MOST + at];
        double from = one->begin > begin ? one->begin : begin, to = one->end < end ? one->end : end;
        if (to <= from)
            continue;
        if (one->did != WAITED)
            caused[who * WAITED + (int)one->did] += to - from;
        else if (one != wait)
            blame(one, from, to, ranks, depth + 1);
    }
}

static void tell(int ranks)
{
    char text[1024];
    int length = 0;
    double waited = 0;
    for (int rank = 0; rank < ranks; rank++)
        for (int at = 0; at < lengths[rank]; at++) {
            struct stretch *one = &all[rank * MOST + at];
            if (one->did != WAITED)
                continue;
            waited += one->end - one->begin;
            blame(one, one->begin, one->end, ranks, 0);
        }
    for (int rank = 0; rank < ranks; rank++)
        for (int did = 0; did < WAITED; did++)
            if (caused[rank * WAITED + did] > 0.01 * waited && length < 900)
                length += snprintf(text + length, sizeof text - (size_t)length, "planted: rank %d %s %.4f\n", rank,
                                   names[did], caused[rank * WAITED + did] / waited);
    if (write(2, text, (size_t)length) != length)
        exit(1);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    const char *pattern = argc > 1 ? argv[1] : "slow";
    double seconds = argc > 2 ? atof(argv[2]) : 6;
    char name[] = "planted.XXXXXX";
    file = mkstemp(name);
    if (file < 0)
        return 1;
    unlink(name);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    meet();
    double begin = now();
    int goes_on = 1;
    for (int round = 0; goes_on; round++) {
        round_of(pattern, round, rank, ranks);
        /* Told at once after all met, so nobody waits for it. */
        goes_on = now() < begin + seconds;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    all = calloc((size_t)ranks * MOST, sizeof *all);
    lengths = calloc((size_t)ranks, sizeof *lengths);
    caused = calloc((size_t)ranks * WAITED, sizeof *caused);
    if (!all || !lengths || !caused)
        return 1;
    enum { NUMBERS = sizeof(struct stretch) / sizeof(double) };
    MPI_Gather(&known, 1, MPI_INT, lengths, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gather(trace, MOST * NUMBERS, MPI_DOUBLE, all, MOST * NUMBERS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        tell(ranks);
    MPI_Finalize();
    return 0;
}
