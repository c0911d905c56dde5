/* A program that throws from its handler of SIGSEGV, as -fnon-call-exceptions allows: each fault is caught by the function that made it or by
 * its caller, with all destructors run.
 *
 * build: c++ -g -O2 -fno-optimize-sibling-calls -fnon-call-exceptions thrown_fault.cpp -o thrown_fault
 * run: thrown_fault [milliseconds]
 * expect: its line: every fault was caught
 */
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>

struct Fault {};
static volatile long destroyed;
struct Witness {
    ~Witness() { destroyed = destroyed + 1; }
};

static void on_fault(int) { throw Fault(); }

/* The fault is in the first instruction. */
__attribute__((noinline)) int read_first(int *address) { return *address + 1; }
__attribute__((noinline)) int read_far(char *address) { return *reinterpret_cast<int *>(address + 0x1000) + 1; }

__attribute__((noinline)) int read_within(int *address)
{
    Witness witness;
    return read_first(address) + read_far(reinterpret_cast<char *>(address));
}

__attribute__((noinline)) int read_and_catch(int *address)
{
    try {
        return read_within(address);
    } catch (const Fault &) {
        return -1;
    }
}

int main(int argc, char **argv)
{
    using clock = std::chrono::steady_clock;
    const auto end = clock::now() + std::chrono::milliseconds(argc > 1 ? atoi(argv[1]) : 400);
    struct sigaction action = {};
    action.sa_handler = on_fault;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
    static int there[1025] = {1};
    int *volatile nowhere = nullptr;
    long calls = 0, wrong = 0;
    while (clock::now() < end) {
        for (int i = 0; i < 100; i++, calls++)
            wrong += read_and_catch(there) != 3;
        wrong += read_and_catch(nowhere) != -1;
        try {
            read_far(reinterpret_cast<char *>(nowhere));
            wrong++;
        } catch (const Fault &) {
        }
        calls++;
    }
    std::printf("thrown_fault: %s\n", !wrong && destroyed == calls ? "every fault was caught" : "a fault was lost");
    return wrong || destroyed != calls;
}
