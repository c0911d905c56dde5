/* Each of many results goes to a file of its own, which is made, written once, closed and removed: names take more time than data.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls many_files.c -o many_files
 * run: many_files [seconds] [folder]
 * hypothesis: ExcessiveIOBlockingTime
 * function: /Code/many_files.c/save_result
 * object: /File/<folder>
 * shows: ExcessiveIOBlockingTime, ExcessiveMetadataTime
 * may show: CPUbound
 * refutes: TooManySmallIOOps, ExcessiveFlushTime, IOSerializedOnOneProcess, ExcessiveSyncWaitingTime
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
enum { RESULT = 8192, NAMES = 16 };

OWN_NAME static int save_result(const char *folder, long index)
{
    static char result[RESULT];
    char path[4096];
    snprintf(path, sizeof path, "%s/many_files.%d.%ld", folder, (int)getpid(), index % NAMES);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0)
        return 0;
    int written = write(file, result, RESULT) == RESULT;
    close(file);
    return written && access(path, R_OK) == 0 && unlink(path) == 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    double end = seconds_of(CLOCK_MONOTONIC) + (argc > 1 ? atof(argv[1]) : 6.0);
    for (long index = 0; seconds_of(CLOCK_MONOTONIC) < end; index++)
        failed += !save_result(argc > 2 ? argv[2] : "/tmp", index);
    printf("many_files: %d results lost\n", failed);
    return failed > 0;
}
