// Throws through a function that is called often, until its input ends.
#include <cstdio>
#include <poll.h>

__attribute__((noipa, noinline)) double step(double x, int round)
{
    for (int i = 0; i < 20000; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    if (round % 3 == 0)
        throw x;
    return x;
}

__attribute__((noipa, noinline)) double round_of(double x, int &caught)
{
    for (int round = 1; round <= 30; round++) {
        try {
            x = step(x, round);
        } catch (double thrown) {
            x = thrown;
            caught++;
        }
    }
    return x;
}

int main()
{
    std::puts("ready");
    std::fflush(stdout);
    pollfd input = {0, POLLIN, 0};
    double x = 1;
    int caught = 0, rounds = 0;
    for (; poll(&input, 1, 0) == 0; rounds++)
        x = round_of(x, caught);
    std::printf("%d lost, %s\n", 10 * rounds - caught, x > 0 ? "done" : "wrong");
}
