/* Rounds of work that must all come to the same, until a file tells that it is enough. */
#ifndef WHYPERF_TEST_ROUNDS_H
#define WHYPERF_TEST_ROUNDS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t digest, first_digest;
static long rounds, odd_rounds;

/* Adds bytes to what this round comes to. */
__attribute__((unused)) static void note(const void *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t at = 0; at < size; at++)
        digest = (digest ^ bytes[at]) * UINT64_C(0x100000001b3);
}

__attribute__((unused)) static void note_number(long long number)
{
    note(&number, sizeof number);
}

/* Calls the work until the file is there; prints what it came to. Answers the exit status. */
__attribute__((unused)) static int rounds_of(void (*work)(void))
{
    const char *end = getenv("END_OF_TORTURE");
    int is_last;
    do {
        is_last = !end || access(end, F_OK) == 0;
        digest = UINT64_C(0xcbf29ce484222325);
        work();
        if (rounds++ == 0)
            first_digest = digest;
        odd_rounds += digest != first_digest;
    } while (!is_last);
    printf("a round comes to %016llx\n", (unsigned long long)first_digest);
    if (odd_rounds)
        printf("%ld of %ld rounds were not alike\n", odd_rounds, rounds);
    else
        printf("all rounds were alike\n");
    return odd_rounds ? 1 : 0;
}

#endif
