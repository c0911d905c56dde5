/* A program whose instrumented functions take arguments on the stack, of every class, use them in every order,
 * change them, pass them on, and are left by returns, jumps and other contexts.
 *
 * build: as calls.c
 * run: stacked
 * expect: the same results with and without measuring, and as many visits as calls
 */
#include "daemon.h"

#include <pthread.h>
#include <setjmp.h>
#include <ucontext.h>

#define FAR __attribute__((noinline, noclone))

static jmp_buf back;
static volatile long sink;

FAR long seven(long a, long b, long c, long d, long e, long f, long g)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
}
FAR double thirteen(int a, double b, long c, float d, int e, double f, long g, long h, double i, short j,
                    double k, double l, double m, double n, char o, double p, double q)
{
    return a + b * 2 + (double)c * 3 + (double)d * 4 + e * 5 + f * 6 + (double)g * 7 + (double)h * 8 + i * 9
        + j * 10 + k * 11 + l * 12 + m * 13 + n * 14 + o * 15 + p * 16 + q * 17;
}
FAR long double extended(long double a, long double b) { return a * 2 + b; }
struct large {
    long values[6];
};
FAR long by_value(struct large l, long x)
{
    return l.values[0] + 2 * l.values[1] + 3 * l.values[2] + 4 * l.values[3] + 5 * l.values[4]
        + 6 * l.values[5] + x;
}
/* What it is passed is its own: it may write there. */
FAR long writes(long a, long b, long c, long d, long e, long f, volatile long g, volatile long h)
{
    for (long i = 0; i < 3; i++) {
        g += a + b + c;
        h -= d + e + f;
    }
    return g * 2 + h;
}
FAR long odd(long n, long a, long b, long c, long d, long e, long f, long g);
FAR long even(long n, long a, long b, long c, long d, long e, long f, long g)
{
    return n ? odd(n - 1, a, b, c, d, e, g, f) : f * 2 + g;
}
FAR long odd(long n, long a, long b, long c, long d, long e, long f, long g)
{
    return n ? even(n - 1, a, b, c, d, e, g, f) : f + g * 3;
}
FAR long down(long n, long a, long b, long c, long d, long e, long f, long g)
{
    long below = n ? down(n - 1, a, b, c, d, e, f + 1, g + 2) : f + g;
    sink = below;
    return below + g;
}
FAR void jumps(long a, long b, long c, long d, long e, long f, long g)
{
    if (g & 1)
        longjmp(back, 1);
    sink = a + b + c + d + e + f + g;
}

static ucontext_t here, there;
static char stack[65536];
FAR long switches(long a, long b, long c, long d, long e, long f, long g, long h)
{
    swapcontext(&there, &here);
    return a + b + c + d + e + f + 2 * g + 3 * h;
}
PLAIN void coroutine(void)
{
    for (long i = 0;; i++)
        sink = switches(1, 2, 3, 4, 5, 6, i, i + 1);
}

PLAIN double everything(long n)
{
    double all = 0;
    for (long i = 0; i < n; i++) {
        struct large l = { { i, 2, 3, 4, 5, i + 6 } };
        all += (double)seven(i, 2, 3, 4, 5, 6, i + 7);
        all += thirteen(1, 2.5, i, 4.5f, 5, 6.5, 7, i, 9.5, 10, 11.5, 12.5, 13.5, 14.5, 15, 16.5, (double)i);
        all += (double)extended((long double)i, 0.5L) + (double)by_value(l, i);
        all += (double)writes(1, 2, 3, 4, 5, 6, i, i * 2);
        all += (double)even(i % 5, 1, 2, 3, 4, 5, i, 7);
    }
    return all + (double)down(2000, 1, 2, 3, 4, 5, 6, 7);
}

PLAIN long leave_often(long n)
{
    for (volatile long i = 0; i < n; i++)
        if (!setjmp(back))
            jumps(1, 2, 3, 4, 5, 6, i);
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    makecontext(&there, coroutine, 0);
    for (long i = 0; i < n; i++)
        swapcontext(&here, &there);
    return sink;
}

PLAIN void *in_thread(void *sum)
{
    *(double *)sum = everything(3000);
    return NULL;
}

static int regions[64];
static struct { const void *function; uint64_t words; } wide[] = {
    { (void *)seven, 1 }, { (void *)thirteen, 9 }, { (void *)extended, 4 }, { (void *)by_value, 6 },
    { (void *)writes, 2 }, { (void *)odd, 2 }, { (void *)even, 2 }, { (void *)down, 2 },
    { (void *)jumps, 1 }, { (void *)switches, 2 },
};

PLAIN void expect(const void *function, uint64_t calls, const char *what)
{
    uint64_t found = visits_of(region_of(function, regions), NULL);
    if (found != calls) {
        fprintf(stderr, "%s: %lu visits, not %lu\n", what, (unsigned long)found, (unsigned long)calls);
        _exit(1);
    }
}

int main(void)
{
    int is_measured = play_daemon();
    double before = everything(1000), sums[4];
    long left = leave_often(1000);
    if (is_measured) {
        for (int at = 0; at < function_count(); at++)
            for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
                if (__start___mcount_loc[at] - (uintptr_t)wide[i].function < 8)
                    thunk_of[at] = 3 | wide[i].words << 8;
        switch_all_on(regions);
    }
    double with = everything(1000);
    if (with != before || leave_often(1000) != left)
        fail("other results when on");
    if (even(10000000, 1, 2, 3, 4, 5, 6, 7) != even(0, 1, 2, 3, 4, 5, 6, 7))
        fail("a wrong result of jumps");
    if (is_measured) {
        expect((void *)seven, 1000, "seven");
        expect((void *)thirteen, 1000, "thirteen");
        expect((void *)by_value, 1000, "by_value");
        expect((void *)writes, 1000, "writes");
        expect((void *)down, 2001, "down");
        expect((void *)jumps, 1000, "jumps");
        /* The last one is still open. */
        expect((void *)switches, 999, "switches");
        expect((void *)odd, 1000 / 5 * (0 + 1 + 1 + 2 + 2) + 5000000, "odd");
        expect((void *)even, 1000 / 5 * (1 + 1 + 2 + 2 + 3) + 5000001 + 1, "even");
    }
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, in_thread, &sums[i]);
    for (int round = 0; is_measured && round < 300; round++)
        for (int at = 0; at < function_count(); at++)
            if ((round * 7 + at) % 3 == 0)
                (round + at) % 2 ? switch_on(regions[at]) : switch_off(regions[at]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < 4; i++)
        if (sums[i] != sums[0])
            fail("other results of another thread");
    for (int at = 0; is_measured && at < function_count(); at++) {
        disarm(regions[at]);
        if (memcmp((void *)__start___mcount_loc[at], "\x0f\x1f\x44\x00\x00", 5))
            fail("other bytes when disarmed");
    }
    printf("%.1f %ld %.1f %.1f\n", before, left, everything(1000), sums[0]);
    return 0;
}
