// A method that is called through a table of virtual functions takes the time.
//
// build: c++ -O2 hot_method.cpp -o hot_method
// run: hot_method [seconds]
// hypothesis: CPUbound
// function: /Code/hot_method.cpp/Mill::grind(double)
// object: none
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

struct Tool {
    virtual ~Tool() = default;
    virtual double grind(double x) = 0;
};

struct Mill : Tool {
    __attribute__((noinline)) double grind(double x) override
    {
        for (int i = 0; i < 40000; i++)
            x = x * 0.999 + 1.0 / (1.0 + x * x);
        return x;
    }
};

struct Sieve : Tool {
    __attribute__((noinline)) double grind(double x) override
    {
        for (int i = 0; i < 500; i++)
            x = x * 0.99 + 0.01;
        return x;
    }
};

__attribute__((noinline)) static double turn(const std::vector<std::unique_ptr<Tool>> &tools, double x)
{
    for (const auto &tool : tools)
        x = tool->grind(x);
    return x;
}

int main(int argc, char **argv)
{
    using clock = std::chrono::steady_clock;
    double length = argc > 1 ? std::atof(argv[1]) : 10.0;
    auto end = clock::now() + std::chrono::duration<double>(length);
    std::vector<std::unique_ptr<Tool>> tools;
    tools.push_back(std::make_unique<Sieve>());
    tools.push_back(std::make_unique<Mill>());
    double x = 0.5;
    while (clock::now() < end)
        x = turn(tools, x);
    std::printf("hot_method: %.3f\n", x);
    return 0;
}
