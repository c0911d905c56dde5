// Scopes in C++, two in one function, left at the end of the block and by return.
//
// build: c++ -g -O2 -fno-optimize-sibling-calls -I<include> scope.cpp -o scope_cpp
// run: scope_cpp
// expect: its line; 100 visits of "half" and 50 of "even" (group "numbers") under it; the "mesh" is "fine"
#include "whyperf.h"

#include <cstdio>

[[gnu::noipa]] static int half(int number)
{
    WHYPERF_SCOPE("half");
    if (number % 2 != 0)
        return 0;
    WHYPERF_SCOPE_OF("numbers", "even");
    return number / 2;
}

int main()
{
    whyperf_metadata("mesh", "fine");
    int sum = 0;
    for (int number = 0; number < 100; number++)
        sum += half(number);
    std::printf("scope: sum %d\n", sum);
    return 0;
}
