/* Opens a file of another name each time, as a search through a tree of folders does.
 *
 * build: cc -g -O2 many_names.c -o many_names
 * run: many_names [seconds]
 * expect: reading so many names costs no more than it may
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../seconds.h"

int main(int argc, char **argv)
{
    double end = seconds_of(CLOCK_MONOTONIC) + (argc > 1 ? atof(argv[1]) : 4.0);
    long opened = 0;
    for (; seconds_of(CLOCK_MONOTONIC) < end; opened++) {
        char path[64];
        snprintf(path, sizeof path, "/tmp/many_names.%d.%ld", (int)getpid(), opened);
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (file < 0 || write(file, "x", 1) != 1)
            return 1;
        close(file);
        unlink(path);
    }
    return opened == 0;
}
