/* The library that has its own functions of these names. */
#include "clash.h"

#include <stdarg.h>

double splice(int a, double b, long c, float d, int e, int f, long g, long h, double i) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}
double remove(double from, int what, const char *name) { return from - what - name[0]; }
struct three rename(struct three from, int times) {
    struct three to = {from.x * times, from.y * times, from.z * times};
    return to;
}
const char *open(int count, ...) {
    static char text[64];
    va_list list;
    va_start(list, count);
    for (int at = 0; at < count; at++)
        text[at] = (char)(va_arg(list, double) + va_arg(list, int));
    va_end(list);
    text[count] = 0;
    return text;
}
long double truncate(long double value) { return (long double)(long)value; }
float access(float x) { return x / 2; }
int dprintf(double first, ...) {
    va_list list;
    va_start(list, first);
    int second = va_arg(list, int);
    va_end(list);
    return (int)first * 10 + second;
}
double execv(double x) { return x + 1; }
double setuid(double x, int y) { return x * y; }
double prctl(int first, ...) {
    va_list list;
    va_start(list, first);
    double sum = 0;
    for (int at = 0; at < first; at++)
        sum += va_arg(list, double);
    va_end(list);
    return sum;
}
double syscall(double first, int second) { return first / second; }
double unshare(void) { return 0.5; }

/* Before anybody's main. */
__attribute__((constructor)) static void early(void) { show("early"); }
