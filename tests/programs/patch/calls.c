/* A program that calls instrumented functions in every plain way: nested, recursive, by pointer, with
 * many arguments and results of every class; and switches them while they run.
 *
 * build: cc -O2 -fno-pie -no-pie -pg -mfentry -mnop-mcount -mrecord-mcount calls.c -o calls
 * run: calls
 * expect: the same sums with and without measuring, and as many visits as calls
 */
#include "daemon.h"

#include <complex.h>
#include <stdarg.h>

#define FAR __attribute__((noinline, noclone))

FAR void empty(void) { __asm__ volatile(""); }
FAR long add(long a, long b) { return a + b + 1; }
FAR long six(long a, long b, long c, long d, long e, long f)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f;
}
FAR double mixed(double a, long b, float c, int d, double e)
{
    return a + (double)b + (double)c + d + e;
}
FAR long double extended(long double *a) { return *a * 2.0L; }
FAR double complex twice(double complex a) { return a + a; }
FAR __int128 wide(__int128 a) { return a * 3; }
struct pair {
    double a, b;
};
FAR struct pair swap(struct pair p) { return (struct pair){ p.b, p.a }; }
struct large {
    long values[9];
};
FAR struct large fill(long seed)
{
    struct large l;
    for (int i = 0; i < 9; i++)
        l.values[i] = seed * i;
    return l;
}
FAR long sum(int count, ...)
{
    va_list list;
    long all = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        all += i % 2 ? (long)va_arg(list, double) : va_arg(list, long);
    va_end(list);
    return all;
}
FAR long down(long n) { return n ? add(down(n - 1), n) : 0; }
FAR long odd(long n);
FAR long even(long n) { return n ? odd(n - 1) : 1; }
FAR long odd(long n) { return n ? even(n - 1) : 0; }
FAR long spin(long n, long s) { return n ? spin(n - 1, s + 1) : s; }
FAR long inner(long x) { empty(); return x + 1; }
FAR long middle(long x) { empty(); return inner(x) + inner(x + 1); }
FAR long outer(long x) { return middle(x) * 2 + middle(x + 1); }

PLAIN double everything(long n)
{
    double all = 0;
    long (*volatile pointer)(long, long) = add;
    for (long i = 0; i < n; i++) {
        long double ld = (long double)i;
        empty();
        all += (double)add(i, 2) + (double)six(i, 2, 3, 4, 5, 6) + mixed(1.5, i, 2.5f, 3, 4.5);
        all += (double)extended(&ld) + creal(twice(1.0 + 2.0 * I)) + (double)(long)wide(i);
        struct pair p = swap((struct pair){ 1.0, (double)i });
        struct large l = fill(i);
        all += p.a * 3 + p.b + (double)l.values[8] + (double)pointer(i, i);
        all += (double)sum(6, i, 2.0, 3L, 4.0, 5L, 6.0);
        all += (double)outer(i);
    }
    return all + (double)down(50);
}

static int regions[64];

PLAIN void expect(const void *function, uint64_t wanted, const char *name)
{
    uint64_t found = visits_of(region_of(function, regions), NULL);
    if (found != wanted) {
        fprintf(stderr, "%s: %lu visits, not %lu\n", name, (unsigned long)found,
                (unsigned long)wanted);
        _exit(1);
    }
}

int main(void)
{
    int is_measured = play_daemon();
    double before = everything(1000);
    if (is_measured) {
        int count = switch_all_on(regions);
        double on = everything(1000);
        if (on != before)
            fail("other results when on");
        expect((void *)empty, 1000 + 6000, "empty");
        expect((void *)add, 2000 + 50, "add");
        expect((void *)inner, 4000, "inner");
        expect((void *)outer, 1000, "outer");
        expect((void *)down, 51, "down");
        if (even(10000000) != 1 || spin(10000000, 0) != 10000000)
            fail("wrong results of jumps");
        expect((void *)even, 5000001, "even");
        expect((void *)odd, 5000000, "odd");
        expect((void *)fill, 1000, "fill");
        if (anomaly_count())
            fail("anomalies");
        for (int at = 0; at < count; at++)
            switch_off(regions[at]);
        if (everything(1000) != before)
            fail("other results when off");
        expect((void *)outer, 1000, "outer, off");
        for (int at = 0; at < count; at++) {
            disarm(regions[at]);
            if (memcmp((void *)__start___mcount_loc[at], "\x0f\x1f\x44\x00\x00", 5))
                fail("other bytes when disarmed");
        }
        if (everything(1000) != before)
            fail("other results when disarmed");
        int again[64];
        switch_all_on(again);
        if (memcmp(again, regions, sizeof(int) * (size_t)count))
            fail("other regions the second time");
        everything(10);
        expect((void *)outer, 1010, "outer, again");
        uint64_t time;
        visits_of(region_of((void *)outer, regions), &time);
        fprintf(stderr, "nodes %u, ticks of outer %lu\n", node_count(), (unsigned long)time);
    }
    printf("%.1f\n", before);
    return 0;
}
