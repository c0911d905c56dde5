/* A program writes its results 16 bytes at a time: nearly everything is the cost of the write calls.
 * The file is written over and over within its first MiB, so that it does not grow with the run's length.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls small_io.c -o small_io
 * run: small_io [seconds] [folder]
 * hypothesis: ExcessiveIOBlockingTime (and below it TooManySmallIOOps)
 * function: /Code/small_io.c/write_record
 * object: /File/<folder>/small_io.records
 * shows: ExcessiveIOBlockingTime, TooManySmallIOOps
 * may show: CPUbound
 * refutes: ExcessiveMetadataTime, IOSerializedOnOneProcess, ExcessiveSyncWaitingTime
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
enum { RECORD = 16, EXTENT = 1 << 20 };

OWN_NAME static int write_record(int file, long index)
{
    long record[RECORD / sizeof(long)] = {index, ~index};
    return pwrite(file, record, RECORD, (index * RECORD) % EXTENT) == RECORD;
}

int main(int argc, char **argv)
{
    int failed = 0;
    char path[4096];
    double length = argc > 1 ? atof(argv[1]) : 6.0;
    snprintf(path, sizeof path, "%s/small_io.records", argc > 2 ? argv[2] : "/tmp");
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0) {
        perror(path);
        return 2;
    }
    double end = seconds_of(CLOCK_MONOTONIC) + length;
    for (long index = 0; seconds_of(CLOCK_MONOTONIC) < end;)
        for (int i = 0; i < 64; i++, index++)
            failed += !write_record(file, index);
    close(file);
    unlink(path);
    printf("small_io: %d writes failed\n", failed);
    return 0;
}
