/* Sends a signal by its number to a process, with a value. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    union sigval value = {.sival_ptr = (void *)(argc > 3 ? strtoul(argv[3], NULL, 0) : 0)};
    if (argc < 3 || sigqueue(atoi(argv[1]), atoi(argv[2]), value)) {
        perror("queue");
        return 1;
    }
    return 0;
}
