// Threads of the language take the time, each in a loop that calls the same function.
//
// build: c++ -O2 -pthread in_threads.cpp -o in_threads
// run: in_threads [seconds]
// hypothesis: CPUbound
// function: /Code/in_threads.cpp/crunch
// object: none
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

using moment = std::chrono::steady_clock::time_point;

__attribute__((noinline)) static double crunch(double x)
{
    for (int i = 0; i < 40000; i++)
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    return x;
}

__attribute__((noinline)) static void work(double *x, moment end)
{
    while (std::chrono::steady_clock::now() < end)
        *x = crunch(*x);
}

int main(int argc, char **argv)
{
    double length = argc > 1 ? std::atof(argv[1]) : 10.0;
    moment end = std::chrono::steady_clock::now()
        + std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(length));
    std::vector<double> values(2, 0.5);
    std::vector<std::thread> threads;
    for (double &value : values)
        threads.emplace_back([&value, end] { work(&value, end); });
    for (auto &thread : threads)
        thread.join();
    std::printf("in_threads: %d\n", values[0] + values[1] > 0.0);
    return 0;
}
