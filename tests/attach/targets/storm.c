/* Threads that allocate (`malloc`), load and unload objects (`dlopen`), make threads (`threads`), or run into
 * breakpoints of their own and handle them (`faults`), without a break, until standard input ends; then says whether all was in order. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int over;
static atomic_int wrong;

static void *allocate(void *seed)
{
    unsigned state = (unsigned)(size_t)seed + 1;
    unsigned char *blocks[64] = {0};
    size_t sizes[64] = {0};
    while (!atomic_load(&over)) {
        unsigned at = rand_r(&state) % 64;
        for (size_t i = 0; i < sizes[at]; i += 97)
            if (blocks[at][i] != (unsigned char)at)
                atomic_fetch_add(&wrong, 1);
        free(blocks[at]);
        sizes[at] = rand_r(&state) % 5000 + 1;
        blocks[at] = malloc(sizes[at]);
        memset(blocks[at], (int)at, sizes[at]);
    }
    for (int i = 0; i < 64; i++)
        free(blocks[i]);
    return NULL;
}

static void *load(void *unused)
{
    (void)unused;
    while (!atomic_load(&over)) {
        void *object = dlopen("libresolv.so.2", RTLD_NOW);
        if (!object || !dlsym(object, "ns_get16"))
            atomic_fetch_add(&wrong, 1);
        if (object)
            dlclose(object);
    }
    return NULL;
}

static void *nothing(void *argument)
{
    return argument;
}

static void *start(void *unused)
{
    (void)unused;
    while (!atomic_load(&over)) {
        pthread_t thread;
        void *answer = NULL;
        if (pthread_create(&thread, NULL, nothing, &wrong) || pthread_join(thread, &answer) || answer != &wrong)
            atomic_fetch_add(&wrong, 1);
    }
    return NULL;
}

static _Thread_local volatile sig_atomic_t handled;

static void handle(int signal)
{
    (void)signal;
    handled++;
}

static void *fault(void *unused)
{
    int faults = 0;
    (void)unused;
    for (; !atomic_load(&over); faults++)
        __asm__ volatile("int3");
    if (handled != faults)
        atomic_fetch_add(&wrong, 1);
    return NULL;
}

static void *await_end(void *unused)
{
    char byte;
    (void)unused;
    while (read(0, &byte, 1) > 0)
        ;
    atomic_store(&over, 1);
    return NULL;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "malloc";
    void *(*work)(void *) = !strcmp(kind, "dlopen") ? load
        : !strcmp(kind, "threads")                  ? start
        : !strcmp(kind, "faults")                   ? fault
                                                    : allocate;
    struct sigaction action = {.sa_handler = handle};
    if (work == fault)
        sigaction(SIGTRAP, &action, NULL);
    pthread_t end, other;
    pthread_create(&end, NULL, await_end, NULL);
    pthread_create(&other, NULL, work, (void *)7);
    puts("ready");
    fflush(stdout);
    work(NULL);
    pthread_join(other, NULL);
    pthread_join(end, NULL);
    printf("%s %d wrong\n", kind, atomic_load(&wrong));
    return atomic_load(&wrong) != 0;
}
