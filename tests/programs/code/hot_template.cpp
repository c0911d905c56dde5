// An instance of a template takes the time: called through std::function, with an inlined lambda inside.
//
// build: c++ -O2 hot_template.cpp -o hot_template
// run: hot_template [seconds]
// hypothesis: CPUbound
// function: /Code/hot_template.cpp/Field<double>::relax
// object: none
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

template <typename Number> class Field {
public:
    explicit Field(std::size_t size) : cells(size, Number(1)) {}

    template <int Order> __attribute__((noinline)) Number relax()
    {
        auto mixed = [](Number left, Number here, Number right) {
            return (left + Number(Order) * here + right) / (Number(Order + 2) + here * here);
        };
        for (int sweep = 0; sweep < 8; sweep++)
            for (std::size_t at = 1; at + 1 < cells.size(); at++)
                cells[at] = mixed(cells[at - 1], cells[at], cells[at + 1]) + Number(0.1);
        return cells[cells.size() / 2];
    }

    __attribute__((noinline)) Number total() const
    {
        return std::accumulate(cells.begin(), cells.end(), Number(0));
    }

private:
    std::vector<Number> cells;
};

int main(int argc, char **argv)
{
    using clock = std::chrono::steady_clock;
    double length = argc > 1 ? std::atof(argv[1]) : 10.0;
    auto end = clock::now() + std::chrono::duration<double>(length);
    Field<double> field(4096);
    std::map<std::string, std::function<double()>> steps;
    steps["relax"] = [&] { return field.relax<3>(); };
    steps["total"] = [&] { return field.total(); };
    double x = 0.0;
    while (clock::now() < end)
        for (auto &step : steps)
            x += step.second();
    std::printf("hot_template: %d\n", x > 0.0);
    return 0;
}
