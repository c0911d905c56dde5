/* Recursion, direct and mutual, and chains of tail calls, in four threads. */
#include "rounds.h"

#include <pthread.h>

typedef uint64_t step(uint64_t, uint64_t);
static step even, odd;
static step *volatile next_even = even, *volatile next_odd = odd;

__attribute__((noinline)) static uint64_t even(uint64_t left, uint64_t sum)
{
    return left == 0 ? sum : next_odd(left - 1, sum * 31 + left);
}
__attribute__((noinline)) static uint64_t odd(uint64_t left, uint64_t sum)
{
    return left == 0 ? ~sum : next_even(left - 1, sum * 17 ^ left);
}

__attribute__((noinline)) static uint64_t fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__attribute__((noinline)) static uint64_t ackermann(uint64_t m, uint64_t n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

struct large { double numbers[6]; long count; };
__attribute__((noinline)) static struct large returned(float a, double b, long double c, long d)
{
    struct large result = { { a, b, (double)c, a + b, b * 2, (double)(c * 3) }, d };
    return result;
}
__attribute__((noinline)) static long double extended(long double a, long double b) { return a / b; }
__attribute__((noinline)) static _Complex double rotated(_Complex double a) { return a * 1.0i; }

static void *each(void *results)
{
    uint64_t *result = results;
    result[0] = next_even(2000, 1);
    result[1] = fibonacci(22);
    result[2] = ackermann(2, 20);
    struct large large = returned(1.5f, 2.25, 3.125L, 7);
    memcpy(result + 3, &large, sizeof large);
    long double quotient = extended(1, 3);
    memcpy(result + 12, &quotient, 10);
    _Complex double turned = rotated(2 + 3i);
    memcpy(result + 14, &turned, sizeof turned);
    return NULL;
}

static void work(void)
{
    uint64_t results[4][16];
    pthread_t threads[4];
    memset(results, 0, sizeof results);
    for (int at = 0; at < 4; at++)
        pthread_create(&threads[at], NULL, each, results[at]);
    for (int at = 0; at < 4; at++)
        pthread_join(threads[at], NULL);
    note(results, sizeof results);
}

int main(void) { return rounds_of(work); }
