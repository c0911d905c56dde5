/* Says how many bytes of a coroutine's stack calls of the C library take: the stack is painted before, and looked at after. Each function
 * is called once before, so that it is known where it is. Then the same calls are made on stacks of a single page, below which no memory
 * is.
 *
 * run: stack_use, which writes a line for each call to standard error and "whole" to standard output
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, LARGE = 64 * 1024, CALLS = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ucontext_t main_context, coroutine;
static int file, call;
static char byte;

static void make(int which)
{
    switch (which) {
    case 0: file = open("/dev/zero", O_RDONLY); break;
    case 1: byte = (char)read(file, &byte, 1); break;
    case 2: (void)lseek(file, 0, SEEK_SET); break;
    case 3: close(file); break;
    case 4: pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); break;
    case 5: usleep(1); break;
    }
}

static void body(void)
{
    make(call);
}

static void run(char *stack, size_t size)
{
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = size;
    coroutine.uc_link = &main_context;
    makecontext(&coroutine, body, 0);
    swapcontext(&main_context, &coroutine);
}

int main(void)
{
    static const char *const names[CALLS] = { "open", "read", "lseek", "close", "lock", "sleep" };
    static char large[LARGE] __attribute__((aligned(PAGE)));
    size_t used[CALLS];
    char *pages = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE) != 0)
        return 1;
    for (call = 0; call < CALLS; call++)
        make(call);
    for (call = 0; call < CALLS; call++) {
        memset(large, 0x5a, LARGE);
        run(large, LARGE);
        size_t free_bytes = 0;
        while (free_bytes < LARGE && large[free_bytes] == 0x5a)
            free_bytes++;
        used[call] = LARGE - free_bytes;
    }
    for (call = 0; call < CALLS; call++)
        run(pages + PAGE, PAGE);
    for (call = 0; call < CALLS; call++)
        fprintf(stderr, "%s %zu\n", names[call], used[call]);
    puts("whole");
    return 0;
}
