/* The k-th largest of many numbers, found by quicksort and by selection: most of its calls are of functions that do hardly anything.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls kth_largest.c -o kth_largest
 * run: kth_largest [elements [rounds]]
 * expect: both ways find the same; a line for each part of it, with the seconds that it took
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))

void interchange(int *a, int *b);
void quicksort(int *a, long left, long right);
int kth_largest_qs(int *a, long n, long k);
void sort_5elements(int *a);
int select_kth_largest(int *a, long n, long k);
void setup(int *a, long n, unsigned seed);

APART void interchange(int *a, int *b)
{
    int kept = *a;
    *a = *b;
    *b = kept;
}

APART void quicksort(int *a, long left, long right)
{
    if (left >= right)
        return;
    interchange(&a[left], &a[left + (right - left) / 2]);
    long last = left;
    for (long i = left + 1; i <= right; i++)
        if (a[i] < a[left])
            interchange(&a[++last], &a[i]);
    interchange(&a[left], &a[last]);
    quicksort(a, left, last - 1);
    quicksort(a, last + 1, right);
}

APART int kth_largest_qs(int *a, long n, long k)
{
    quicksort(a, 0, n - 1);
    return a[n - k];
}

APART void sort_5elements(int *a)
{
    for (int i = 1; i < 5; i++)
        for (int j = i; j > 0 && a[j - 1] > a[j]; j--)
            interchange(&a[j - 1], &a[j]);
}

/* By the median of the medians of five: never more than a part of all goes on. */
APART int select_kth_largest(int *a, long n, long k)
{
    if (n <= 5) {
        for (long i = 1; i < n; i++)
            for (long j = i; j > 0 && a[j - 1] > a[j]; j--)
                interchange(&a[j - 1], &a[j]);
        return a[n - k];
    }
    long groups = n / 5;
    for (long group = 0; group < groups; group++) {
        sort_5elements(a + 5 * group);
        interchange(&a[group], &a[5 * group + 2]);
    }
    int pivot = select_kth_largest(a, groups, (groups + 1) / 2);
    long larger = 0, equal = 0;
    for (long i = 0; i < n; i++) {
        if (a[i] > pivot) {
            int kept = a[i];
            a[i] = a[larger + equal];
            a[larger + equal] = a[larger];
            a[larger++] = kept;
        } else if (a[i] == pivot) {
            int kept = a[i];
            a[i] = a[larger + equal];
            a[larger + equal++] = kept;
        }
    }
    if (k <= larger)
        return select_kth_largest(a, larger, k);
    if (k <= larger + equal)
        return pivot;
    return select_kth_largest(a + larger + equal, n - larger - equal, k - larger - equal);
}

APART void setup(int *a, long n, unsigned seed)
{
    unsigned long long x = seed;
    for (long i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        a[i] = (int)(x >> 33);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 1000000, rounds = argc > 2 ? atol(argv[2]) : 5;
    int *numbers = malloc((size_t)n * sizeof *numbers), *copy = malloc((size_t)n * sizeof *copy);
    double made = 0, sorted = 0, selected = 0, begin = now();
    if (n < 1 || !numbers || !copy)
        return 2;
    for (long round = 0; round < rounds; round++) {
        long k = 1 + n / (round + 2);
        double at = now();
        setup(numbers, n, (unsigned)round + 1);
        made += now() - at;
        memcpy(copy, numbers, (size_t)n * sizeof *copy);
        at = now();
        int by_sorting = kth_largest_qs(copy, n, k);
        sorted += now() - at;
        memcpy(copy, numbers, (size_t)n * sizeof *copy);
        at = now();
        int by_selection = select_kth_largest(copy, n, k);
        selected += now() - at;
        if (by_sorting != by_selection) {
            printf("kth_largest: %d is not %d\n", by_sorting, by_selection);
            return 1;
        }
    }
    printf("main %.9f\nsetup %.9f\nkth_largest_qs %.9f\nselect_kth_largest %.9f\n", now() - begin, made, sorted, selected);
    free(numbers);
    free(copy);
    return 0;
}
