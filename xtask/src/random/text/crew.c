/* Threads that are there for the whole run, the first one among them. */
static double born[THREADS];

static void *work(void *birth)
{
    BODY
    if (birth != born) add_up(*(double *)birth);
    return 0;
}

int main(void)
{
    pthread_t others[THREADS];
    for (int at = 0; at < THREADS; at++) {
        born[at] = seconds(CLOCK_MONOTONIC);
        if (at) pthread_create(&others[at], 0, work, &born[at]);
    }
    work(born);
    for (int at = 1; at < THREADS; at++) join(others[at]);
    add_up(born[0]);
    tell();
    return 0;
}
