/* A hundred functions, called in turn; one of them takes nearly all of the time.
 *
 * build: cc -O2 hot_procedure.c -o hot_procedure
 * run: hot_procedure [seconds]
 * hypothesis: CPUbound
 * function: /Code/hot_procedure.c/part_42
 * object: none
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa, noinline))

static double grind(double x, int rounds)
{
    for (int i = 0; i < rounds; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    return x;
}

#define PART(number) \
    OWN_NAME double part_##number(double x) { return grind(x, number == 42 ? 100000 : 20 + number); }
#define TEN(tens) PART(tens##0) PART(tens##1) PART(tens##2) PART(tens##3) PART(tens##4) \
    PART(tens##5) PART(tens##6) PART(tens##7) PART(tens##8) PART(tens##9)
TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(10)

#define CALL(number) x = part_##number(x);
#define CALLS(tens) CALL(tens##0) CALL(tens##1) CALL(tens##2) CALL(tens##3) CALL(tens##4) \
    CALL(tens##5) CALL(tens##6) CALL(tens##7) CALL(tens##8) CALL(tens##9)

OWN_NAME double step(double x)
{
    CALLS(1) CALLS(2) CALLS(3) CALLS(4) CALLS(5) CALLS(6) CALLS(7) CALLS(8) CALLS(9) CALLS(10)
    return x;
}

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 10.0;
    double end = seconds_of(CLOCK_MONOTONIC) + length, x = 0.5;
    while (seconds_of(CLOCK_MONOTONIC) < end)
        x = step(x);
    printf("hot_procedure: %.3f\n", x);
    return 0;
}
