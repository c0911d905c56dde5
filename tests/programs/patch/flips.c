/* A program whose functions are armed, switched and disarmed at random while four threads run through
 * them, and a handler comes ten thousand times a second.
 *
 * build: as calls.c
 * run: flips
 * expect: no wrong result, and code that equals the file in the end
 */
#include "daemon.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#define FAR __attribute__((noinline, noclone))
#define WORKERS 4

FAR long one(long x) { return x * 3 + 1; }
FAR long two(long x) { return one(x) ^ one(x + 7); }
FAR double half(double x) { return x * 0.5; }
FAR long down(long n) { return n ? down(n - 1) + n : 0; }
FAR long away(long n) { return n < 3 ? two(n) : one(n - 3); }
FAR double both(long n, double x) { return half(x) + (double)away(n); }

static volatile int is_over;
static long handled, wrong;
static int regions[64];

FAR void in_handler(void) { handled += one(1) == 4; }
static void on_time(int signal) { (void)signal; in_handler(); }

PLAIN long round_of(long i)
{
    return two(i) + down(i % 20) + away(i) + (long)both(i, (double)(2 * i));
}

PLAIN void *run(void *argument)
{
    long *rounds = argument;
    while (!is_over) {
        long i = *rounds % 1000, a = i * 3 + 1, b = (i + 7) * 3 + 1, n = i % 20;
        long near = i < 3 ? a ^ b : (i - 3) * 3 + 1;
        if (round_of(i) != (a ^ b) + n * (n + 1) / 2 + near + i + near)
            __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
        ++*rounds;
    }
    return NULL;
}

/* Compares the executable part of this program with its file. */
PLAIN long changed_bytes(void)
{
    char line[512], path[256], perms[8];
    unsigned long start, end, offset;
    long changed = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    int file = open("/proc/self/exe", O_RDONLY);
    static char found[1 << 20];
    while (maps && fgets(line, sizeof line, maps)) {
        path[0] = 0;
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &start, &end, perms, &offset, path) < 4)
            continue;
        if (strcmp(perms, "r-xp") || !strstr(path, "flips") || end - start > sizeof found)
            continue;
        ssize_t size = pread(file, found, end - start, (off_t)offset);
        for (ssize_t i = 0; i < size; i++)
            changed += found[i] != ((char *)start)[i];
        if (size <= 0)
            changed = -1;
    }
    fclose(maps);
    close(file);
    return changed;
}

static unsigned long seed = 1;
PLAIN unsigned long dice(unsigned long sides)
{
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return (seed >> 33) % sides;
}

PLAIN double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(void)
{
    double duration = getenv("SECONDS_OF_FLIPS") ? atof(getenv("SECONDS_OF_FLIPS")) : 2;
    int is_measured = play_daemon();
    long rounds[WORKERS] = { 0 }, flips = 0;
    pthread_t workers[WORKERS];
    struct itimerval often = { { 0, 100 }, { 0, 100 } };
    signal(SIGALRM, on_time);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, run, &rounds[i]);
    setitimer(ITIMER_REAL, &often, NULL);
    if (is_measured) {
        int count = function_count();
        arm(0, count, regions);
        double end = seconds() + duration;
        while (seconds() < end) {
            int at = (int)dice((unsigned long)count);
            switch (dice(4)) {
            case 0:
                disarm(regions[at]);
                break;
            case 1:
                arm(at, 1, NULL);
                break;
            case 2:
                arm(at, 1, NULL);
                switch_on(regions[at]);
                break;
            default:
                switch_off(regions[at]);
            }
            flips++;
        }
        disarm(0);
    }
    memset(&often, 0, sizeof often);
    setitimer(ITIMER_REAL, &often, NULL);
    is_over = 1;
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    long all = 0;
    for (int i = 0; i < WORKERS; i++)
        all += rounds[i];
    fprintf(stderr, "%ld flips, %ld rounds, %ld signals\n", flips, all, handled);
    printf("%ld wrong, %ld bytes changed\n", wrong, changed_bytes());
    return 0;
}
