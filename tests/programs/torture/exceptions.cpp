/* Exceptions through ten frames with something to tear down in each, caught, thrown again and caught. */
#include "rounds.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Guard {
    int number;
    explicit Guard(int number) : number(number) { note_number(number); }
    ~Guard() { note_number(-number); }
};

struct Failure : std::runtime_error {
    int depth;
    explicit Failure(int depth) : std::runtime_error("failed"), depth(depth) {}
};

template <int depth> __attribute__((noinline)) int descend(int kind)
{
    Guard guard(depth);
    if (kind % 10 == depth && kind >= 10) {
        try {
            return descend<depth - 1>(kind) + 1;
        } catch (Failure &failure) {
            note_number(failure.depth);
            throw;
        }
    }
    return descend<depth - 1>(kind) + 1;
}

template <> __attribute__((noinline)) int descend<0>(int kind)
{
    Guard guard(0);
    if (kind % 3 == 0)
        throw Failure(kind);
    if (kind % 3 == 1)
        throw std::string("a string ") + std::to_string(kind);
    return kind;
}

static void work()
{
    for (int kind = 0; kind < 60; kind++) {
        try {
            note_number(descend<10>(kind));
        } catch (const Failure &failure) {
            note_number(failure.depth);
        } catch (const std::string &text) {
            note(text.data(), text.size());
        }
    }
    std::map<std::string, std::vector<int>> table;
    std::ostringstream stream;
    for (int at = 0; at < 300; at++)
        table["key " + std::to_string(at % 17)].push_back((at * 7919) % 101);
    for (auto &[key, values] : table) {
        std::sort(values.begin(), values.end());
        stream << key << ' ' << values.front() << ' ' << values.back() * 0.37 << '\n';
    }
    std::istringstream back(stream.str());
    std::string word;
    double number;
    while (back >> word >> number)
        note(&number, sizeof number);
    note(stream.str().data(), stream.str().size());
    try {
        note_number(std::vector<int>(3).at(7));
    } catch (const std::out_of_range &error) {
        note(error.what(), strlen(error.what()));
    }
}

int main() { return rounds_of(work); }
