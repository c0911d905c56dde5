/* Four ranks: the last one works and the others wait for it at a barrier, until the input ends.
 * Then each tells the sum of what went around, which is known. The last rank counts its rounds in the file that is named. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Nothing is ever written to it. */
static int input_has_ended(void)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};
    return poll(&input, 1, 0) > 0;
}

__attribute__((noipa)) static void work(double seconds)
{
    volatile double sum = 0.0;
    double end = processor_time() + seconds;
    while (processor_time() < end)
        for (int i = 1; i < 5000; i++)
            sum += 1.0 / i;
}

__attribute__((noipa)) static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Memory of a file: to count in it takes no call. */
static volatile uint64_t *counter(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof(uint64_t)))
        return NULL;
    void *memory = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

int main(int argc, char **argv)
{
    int rank, size, over = 0, rounds = 0;
    long sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    volatile uint64_t *counted = argc > 1 ? counter(argv[1]) : NULL;
    if (!counted)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        puts("ready");
        fflush(stdout);
    }
    while (!over) {
        long token = rounds, came = -1;
        if (rank == size - 1)
            work(0.02);
        meet();
        MPI_Sendrecv(&token, 1, MPI_LONG, (rank + 1) % size, 5, &came, 1, MPI_LONG, (rank + size - 1) % size, 5,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += came == rounds;
        rounds++;
        over = rank == 0 && input_has_ended();
        MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (rank == size - 1)
            ++*counted;
    }
    int right = sum == rounds, all = 0;
    MPI_Reduce(&right, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d of %d ranks are right\n", all, size);
    MPI_Finalize();
    return right ? 0 : 1;
}
