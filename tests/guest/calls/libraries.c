/* Asks whether functions are there that no library of the program has, in each way in which one can ask. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

static void ask(void *handle, const char *how, const char *name)
{
    dlerror();
    void *found = dlsym(handle, name);
    const char *error = dlerror();
    printf("%s of %s: %s, %s\n", name, how, found ? "there" : "not there", error ? "an error" : "no error");
}

int main(void)
{
    const char *names[] = {"MPI_Init", "PMPI_Send", "MPI_Nothing", "io_uring_enter", "__io_uring_get_cqe", "read"};
    for (int i = 0; i < 6; i++) {
        ask(RTLD_DEFAULT, "all", names[i]);
        ask(dlopen(NULL, RTLD_NOW), "the program", names[i]);
        ask(dlopen("libc.so.6", RTLD_NOW), "the C library", names[i]);
    }
    return 0;
}
