// A program that leaves nested scopes by exceptions.
//
// build: c++ -g -O2 -fno-optimize-sibling-calls -I<include> cpp_exception.cpp -o cpp_exception
// run: cpp_exception
// expect: its line; 100 visits of "outer", 300 of "inner", no anomaly
#include "whyperf.h"

#include <cstdio>
#include <stdexcept>

[[gnu::noipa]] static void descend(int depth)
{
    WHYPERF_SCOPE("inner");
    if (depth == 0)
        throw std::runtime_error("left");
    descend(depth - 1);
}

int main()
{
    int caught = 0;
    for (int round = 0; round < 100; round++) {
        try {
            WHYPERF_SCOPE("outer");
            descend(2);
        } catch (const std::runtime_error &) {
            caught++;
        }
    }
    std::printf("cpp_exception: %d caught\n", caught);
    return 0;
}
