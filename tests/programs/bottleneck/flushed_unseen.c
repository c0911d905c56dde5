/* Each record of a journal, a megabyte, is written and forced out to the device by system calls of its own, of which no event tells: only looks at the waiting
 * thread say what it does, and of no file by name.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls flushed_unseen.c -o flushed_unseen
 * run: flushed_unseen [seconds] [folder]
 * hypothesis: ExcessiveIOBlockingTime
 * function: save_record
 * object: none
 * shows: ExcessiveIOBlockingTime, ExcessiveFlushTime
 * may show: CPUbound
 * refutes: TooManySmallIOOps, ExcessiveMetadataTime, IOSerializedOnOneProcess, ExcessiveSyncWaitingTime, BlockedElsewhere
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
enum { RECORD = 1 << 20, RECORDS = 16 };

OWN_NAME static int save_record(int journal, long index)
{
    static char record[RECORD];
    record[0] = (char)index;
    long written = syscall(SYS_pwrite64, journal, record, RECORD, index % RECORDS * RECORD);
    return written == RECORD && syscall(SYS_fsync, journal) == 0;
}

int main(int argc, char **argv)
{
    char path[4096];
    /* Not a file system in memory: there nothing is forced out. */
    snprintf(path, sizeof path, "%s/flushed_unseen.%d", argc > 2 ? argv[2] : "/var/tmp", (int)getpid());
    int journal = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (journal < 0 || unlink(path) != 0)
        return 2;
    int failed = 0;
    double end = seconds_of(CLOCK_MONOTONIC) + (argc > 1 ? atof(argv[1]) : 6.0);
    for (long index = 0; seconds_of(CLOCK_MONOTONIC) < end; index++)
        failed += !save_record(journal, index);
    printf("flushed_unseen: %d records lost\n", failed);
    return failed > 0;
}
