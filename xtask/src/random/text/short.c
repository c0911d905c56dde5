/* Threads that live for 20 to 300 milliseconds, some of them at once; the first thread works beside them. */
static double born[THREADS], end[THREADS];

static void *live(void *thread)
{
    long at = (long)thread;
    do BODY while (seconds(CLOCK_MONOTONIC) < end[at]);
    add_up(born[at]);
    return 0;
}

int main(void)
{
    double begin = seconds(CLOCK_MONOTONIC);
    pthread_t others[THREADS];
    for (long turn = 0; turn < ROUNDS + THREADS; turn++) {
        long at = turn % THREADS;
        if (turn >= THREADS) join(others[at]);
        born[at] = seconds(CLOCK_MONOTONIC);
        end[at] = born[at] + 1e-3 * (double)(20 + turn * 7919 % 281);
        if (turn < ROUNDS) pthread_create(&others[at], 0, live, (void *)at);
        BODY
    }
    add_up(begin);
    tell();
    return 0;
}
