
/* What all threads took, and what the program prints. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double inside[FUNCTIONS], alone[FUNCTIONS], wall[FUNCTIONS], life, delay, joined, switches;
static long calls[FUNCTIONS], lives;

/* Seconds in which this thread could run and had no processor. */
static double delayed(void)
{
    double nanos = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (!file || fscanf(file, "%*f %lf", &nanos) != 1) nanos = 0;
    if (file) fclose(file);
    return 1e-9 * nanos;
}

static void add_up(double born)
{
    double waited = delayed();
    pthread_mutex_lock(&lock);
    for (int f = 0; f < FUNCTIONS; f++) {
        inside[f] += own[f].inside;
        alone[f] += own[f].alone;
        wall[f] += own[f].wall;
        calls[f] += own[f].calls;
    }
    life += seconds(CLOCK_MONOTONIC) - born;
    delay += waited - late;
    switches += switched - born;
    lives++;
    pthread_mutex_unlock(&lock);
}

/* Who joins a thread has its work done by that: it is not waiting, until it could go on. */
static void join(pthread_t thread)
{
    double waited = delayed(), begin = seconds(CLOCK_MONOTONIC);
    pthread_join(thread, 0);
    double all = seconds(CLOCK_MONOTONIC) - begin;
    joined += all - (delayed() - waited);
}

static void tell(void)
{
    for (int f = 0; f < FUNCTIONS; f++) {
        printf("f%d %.6f\nalone%d %.6f\n", f, inside[f], f, alone[f]);
        printf("wall%d %.6f\ncalls%d %ld\n", f, wall[f], f, calls[f]);
    }
    printf("life %.6f\ndelay %.6f\ncpu %.6f\n", life, delay, seconds(CLOCK_PROCESS_CPUTIME_ID));
    printf("joined %.6f\nswitch %.6f\nthreads %ld\n", joined, switches / (double)lives, lives);
}

