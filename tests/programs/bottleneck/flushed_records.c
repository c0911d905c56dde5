/* Each record of a journal is forced out to the device before the next one is written.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls flushed_records.c -o flushed_records
 * run: flushed_records [seconds] [folder]
 * hypothesis: ExcessiveIOBlockingTime
 * function: /Code/flushed_records.c/save_record
 * object: /File/<folder>
 * shows: ExcessiveIOBlockingTime, ExcessiveFlushTime
 * may show: CPUbound
 * refutes: TooManySmallIOOps, ExcessiveMetadataTime, IOSerializedOnOneProcess, ExcessiveSyncWaitingTime
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))
enum { RECORD = 8192, RECORDS = 64 };

OWN_NAME static int save_record(int journal, long index)
{
    static char record[RECORD];
    record[0] = (char)index;
    return pwrite(journal, record, RECORD, index % RECORDS * RECORD) == RECORD && fsync(journal) == 0;
}

int main(int argc, char **argv)
{
    char path[4096];
    /* Not a file system in memory: there nothing is forced out. */
    snprintf(path, sizeof path, "%s/flushed_records.%d", argc > 2 ? argv[2] : "/var/tmp", (int)getpid());
    int journal = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (journal < 0 || unlink(path) != 0)
        return 2;
    int failed = 0;
    double end = seconds_of(CLOCK_MONOTONIC) + (argc > 1 ? atof(argv[1]) : 6.0);
    for (long index = 0; seconds_of(CLOCK_MONOTONIC) < end; index++)
        failed += !save_record(journal, index);
    printf("flushed_records: %d records lost\n", failed);
    return failed > 0;
}
