/* Opens, uses and closes libraries in a loop; with PLUGIN defined it is one of them. */
#ifdef PLUGIN

#include <stdio.h>
#include <stdlib.h>

static char *text;

__attribute__((constructor)) static void opened(void) { text = malloc(32); }
__attribute__((destructor)) static void closed(void) { free(text); }

int answer(int question)
{
    snprintf(text, 32, "%d", question * 6);
    return atoi(text);
}

#else

#include "rounds.h"

#include <dlfcn.h>

static void work(void)
{
    for (int turn = 0; turn < 5; turn++) {
        void *plugin = dlopen("./plugin.so", RTLD_NOW);
        void *system = dlopen("libutil.so.1", RTLD_LAZY | RTLD_LOCAL);
        int (*answer)(int) = plugin ? (int (*)(int))dlsym(plugin, "answer") : NULL;
        note_number(answer ? answer(turn) : -1);
        note_number(dlsym(RTLD_DEFAULT, "no such thing") == NULL);
        note_number(dlopen("./nothing.so", RTLD_NOW) == NULL);
        note_number(dlerror() != NULL);
        note_number(plugin ? dlclose(plugin) : -1);
        note_number(system ? dlclose(system) : -1);
    }
}

int main(void) { return rounds_of(work); }

#endif
