/* Functions that are called so often, and which a compiler can be told to make known by itself.
 *
 * build: cc -O2 told_by_compiler.c -pthread, with -finstrument-functions, -pg, -pg -mfentry, or room for patches
 * run: told_by_compiler [rounds [alone]]
 * expect: in each round and each of two threads, or alone one, three calls of mix and one of fold
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define OWN_NAME __attribute__((noinline))

unsigned long mix(unsigned long x, unsigned n);
unsigned long fold(unsigned long x, long a, long b, long c, long d, long e, long f);

OWN_NAME unsigned long mix(unsigned long x, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
}

/* One argument more than there are registers for. */
OWN_NAME unsigned long fold(unsigned long x, long a, long b, long c, long d, long e, long f)
{
    return (x ^ x >> 31) + (unsigned long)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f);
}

static long rounds = 2000;

static void *work(void *result)
{
    unsigned long x = 1;
    for (long i = 0; i < rounds; i++) {
        x = mix(x, 70000);
        x = mix(x, 70000);
        x = fold(mix(x, 70000), i, 2, 3, 4, 5, i);
    }
    *(unsigned long *)result = x;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t other;
    unsigned long results[2] = { 0, 0 };
    int is_alone = argc > 2;
    if (argc > 1)
        rounds = atol(argv[1]);
    if (!is_alone)
        pthread_create(&other, NULL, work, &results[1]);
    work(&results[0]);
    if (!is_alone)
        pthread_join(other, NULL);
    printf("told_by_compiler: %lx %lx\n", results[0], results[1]);
    return 0;
}
