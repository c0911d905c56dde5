/* Sixty functions, each called some hundred thousand times a second: none alone costs much, all together do.
 *
 * build: cc -O2 many_warm.c -o many_warm
 * run: many_warm [seconds]
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))

#define WARM(number)                                                                               \
    OWN_NAME double warm_##number(double x)                                                        \
    {                                                                                              \
        for (int i = 0; i < 8; i++)                                                                \
            x = x * 0.999 + number / (1.0 + x * x);                                                \
        return x;                                                                                  \
    }
#define TEN(tens) WARM(tens##0) WARM(tens##1) WARM(tens##2) WARM(tens##3) WARM(tens##4) \
    WARM(tens##5) WARM(tens##6) WARM(tens##7) WARM(tens##8) WARM(tens##9)
TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6)

#define CALL(number) x = warm_##number(x);
#define CALLS(tens) CALL(tens##0) CALL(tens##1) CALL(tens##2) CALL(tens##3) CALL(tens##4) \
    CALL(tens##5) CALL(tens##6) CALL(tens##7) CALL(tens##8) CALL(tens##9)

OWN_NAME double step(double x)
{
    CALLS(1) CALLS(2) CALLS(3) CALLS(4) CALLS(5) CALLS(6)
    return x;
}

int main(int count, char **words)
{
    double end = seconds_of(CLOCK_MONOTONIC) + (count > 1 ? atof(words[1]) : 5), x = 1;
    while (seconds_of(CLOCK_MONOTONIC) < end)
        for (int i = 0; i < 1000; i++)
            x = step(x);
    printf("%s\n", x == 0 ? "zero" : "done");
    return 0;
}
