/* Measures the figures of messages between two ranks on one machine, by the method of netgauge: parametrized round trips.
 *
 * PRTT(n, d, s): rank 0 sends n messages of s bytes, d apart, and rank 1 answers the last one. Then
 *
 *   o_s = (PRTT(n, d, s) - PRTT(1, 0, s)) / (n - 1) - d     with d = PRTT(1, 0, s), in which each message has long gone
 *   g   = (PRTT(n, 0, 1) - PRTT(1, 0, 1)) / (n - 1)
 *   G   = the growth of (PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1) with s
 *
 * o_r is how long a receive takes whose message is there already.
 *
 * A time is the median of many tries, which a single disturbance does not change, and of several rounds of those the least: other work of the
 * machine and its processors' slower moments last for seconds, and make all figures of a round several times as long.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRAIN = 16, MOST = 1 << 20, ROUNDS = 12, SIZES = 9 };
static const double LONGEST = 40;

/* The times of one size, each the least of all rounds. */
struct times {
    int bytes;
    double one, train, spaced, receives;
    /* From one message to the next where each has long gone, the same in all rounds. */
    double apart;
};

static int rank;
static char *data;
static double tries[2000];

static int by_value(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

static double median(int count) {
    qsort(tries, count, sizeof *tries, by_value);
    return tries[count / 2];
}

static void delay(double seconds) {
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;) {}
}

static int repetitions(int bytes) { return bytes > 100000 ? 25 : 120; }

static void keep_least(double *known, double found) {
    if (*known == 0 || found < *known) *known = found;
}

/* PRTT, in seconds at rank 0. */
static double round_trip(int messages, double apart, int bytes) {
    int count = repetitions(bytes);
    for (int at = 0; at < count; at++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        if (rank == 0) {
            for (int sent = 0; sent < messages; sent++) {
                if (sent > 0 && apart > 0) delay(apart);
                MPI_Send(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            }
            MPI_Recv(data, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            for (int taken = 0; taken < messages; taken++)
                MPI_Recv(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        }
        tries[at] = MPI_Wtime() - start;
    }
    double found = median(count);
    MPI_Bcast(&found, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return found;
}

/* How long a receive takes whose message came before, in seconds. */
static double receive_overhead(int bytes, double wait) {
    int count = repetitions(bytes);
    for (int at = 0; at < count; at++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Send(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        } else {
            delay(wait);
            double start = MPI_Wtime();
            MPI_Recv(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            tries[at] = MPI_Wtime() - start;
        }
    }
    double found = rank == 1 ? median(count) : 0;
    MPI_Bcast(&found, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    return found;
}

/* Whether a send waits until its message is received: a single one that does not shows that none has to. */
static int waits_for_receiver(int bytes) {
    const double late = 0.002;
    double least = 1;
    for (int at = 0; at < 100; at++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        if (rank == 0) {
            MPI_Send(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            double took = MPI_Wtime() - start;
            if (took < least) least = took;
        } else {
            delay(late);
            MPI_Recv(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    int waits = rank == 0 && least > late / 2;
    MPI_Bcast(&waits, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return waits;
}

/* Whether measuring took so long, as on a machine that has other work, that what is known has to do. */
static int is_late(double began) {
    int late = MPI_Wtime() - began > LONGEST;
    MPI_Bcast(&late, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return late;
}

enum { NUMBERS = 8192, COMBINED = NUMBERS * sizeof(double) };

/* How long it takes to add so many bytes of one operand to another, in seconds. */
static double combine_time(void) {
    static double one[NUMBERS], other[NUMBERS];
    memset(one, 1, sizeof one);
    for (int at = 0; at < 100; at++) {
        double start = MPI_Wtime();
        MPI_Reduce_local(one, other, NUMBERS, MPI_DOUBLE, MPI_SUM);
        tries[at] = MPI_Wtime() - start;
    }
    return median(100);
}

int main(int argc, char **argv) {
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    data = calloc(MOST, 1);
    if (ranks != 2 || !data) {
        if (rank == 0) fprintf(stderr, "two ranks are needed, and a megabyte for each\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    round_trip(1, 0, MOST); /* the first messages set up what later ones use */
    int eager = 0, size = 0;
    for (int bytes = 1; bytes <= MOST && !waits_for_receiver(bytes); bytes *= 2) eager = bytes;
    struct times shortest = {.bytes = 1}, all[SIZES] = {{0}};
    for (int bytes = 16; bytes <= MOST; bytes *= 4) all[size++].bytes = bytes;
    double combining = 0, began = MPI_Wtime();
    for (int round = 0; round < ROUNDS && (round == 0 || !is_late(began)); round++) {
        keep_least(&shortest.one, round_trip(1, 0, 1));
        keep_least(&shortest.train, round_trip(TRAIN, 0, 1));
        keep_least(&combining, combine_time());
        for (int at = 0; at < size; at++) {
            struct times *of = &all[at];
            keep_least(&of->one, round_trip(1, 0, of->bytes));
            if (round == 0) of->apart = of->one;
            keep_least(&of->train, round_trip(TRAIN, 0, of->bytes));
            keep_least(&of->spaced, round_trip(TRAIN, of->apart, of->bytes));
            keep_least(&of->receives, receive_overhead(of->bytes, 2 * of->apart));
        }
    }
    if (rank == 0) {
        printf("gap %.9e\neager %d\ncombine %.9e\n", (shortest.train - shortest.one) / (TRAIN - 1), eager, COMBINED / combining);
        for (int at = 0; at < size; at++) {
            struct times *of = &all[at];
            double train = (of->train - of->one) / (TRAIN - 1), sends = (of->spaced - of->one) / (TRAIN - 1) - of->apart;
            printf("size %d %.9e %.9e %.9e %.9e\n", of->bytes, of->one, train, sends, of->receives);
        }
    }
    if (rank == 0) printf("end\n");
    MPI_Finalize();
    return 0;
}
