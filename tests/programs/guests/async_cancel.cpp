/* A program that cancels threads at any place while they call small functions: cleanup handlers and destructors run in each.
 *
 * build: c++ -g -O2 -fno-optimize-sibling-calls -fnon-call-exceptions async_cancel.cpp -o async_cancel -lpthread
 * run: async_cancel [milliseconds]
 * expect: its line: every thread was cleaned up
 */
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sched.h>

static std::atomic<long> cleaned, destroyed, begun;
struct Witness {
    ~Witness() { destroyed++; }
};

#define STEP(n) __attribute__((noinline)) long step##n(long v) { __asm__ volatile("" : "+r"(v)); return v + n; }
STEP(1) STEP(2) STEP(3) STEP(4)
__attribute__((noinline)) long push1(long v) { long r = step1(v); __asm__ volatile("" : "+r"(r)); return r + step2(v); }

static void clean(void *) { cleaned++; }

/* Here a thread is cancelled. The function has no table of call sites, so it may be interrupted anywhere: an inlined
 * function that must not throw, such as those of std::atomic, would give it one, and terminate at every other place. */
__attribute__((noinline)) static void spin(bool *ready)
{
    __atomic_store_n(ready, true, __ATOMIC_RELEASE);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
    for (long v = 0;;)
        v = step1(v) + step2(v) + step3(v) + step4(v) + push1(v);
}

__attribute__((noinline)) static void spin_with_witness(bool *ready)
{
    Witness witness;
    spin(ready);
}

static void *work(void *ready)
{
    pthread_cleanup_push(clean, nullptr);
    spin_with_witness(static_cast<bool *>(ready));
    pthread_cleanup_pop(0);
    return nullptr;
}

int main(int argc, char **argv)
{
    using clock = std::chrono::steady_clock;
    const auto end = clock::now() + std::chrono::milliseconds(argc > 1 ? atoi(argv[1]) : 400);
    do {
        bool ready = false;
        pthread_t thread;
        if (pthread_create(&thread, nullptr, work, &ready) != 0)
            return 2;
        begun++;
        while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
            sched_yield();
        for (volatile int i = 0; i < static_cast<int>(begun % 50) * 2000; i = i + 1) {
        }
        pthread_cancel(thread);
        pthread_join(thread, nullptr);
    } while (clock::now() < end);
    const bool whole = cleaned == begun && destroyed == begun;
    std::printf("async_cancel: %s\n", whole ? "every thread was cleaned up" : "a thread was not cleaned up");
    if (!whole)
        std::fprintf(stderr, "%ld threads, %ld cleaned, %ld destroyed\n", begun.load(), cleaned.load(), destroyed.load());
    return !whole;
}
