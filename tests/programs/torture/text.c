/* Formatted output and input, numbers as text, sorting and searching, allocation, dates, streams and files. */
#include "rounds.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdarg.h>
#include <time.h>
#include <wchar.h>

static int by_value(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static int by_value_and_more(const void *one, const void *other, void *count)
{
    ++*(long *)count;
    return by_value(one, other);
}

static void formatted(const char *format, ...)
{
    char *text = NULL;
    va_list rest;
    va_start(rest, format);
    int length = vasprintf(&text, format, rest);
    va_end(rest);
    note(text, (size_t)length);
    free(text);
}

static void numbers(void)
{
    formatted("%d %5.3f %-8s|%+e %a %Lg %c %x %lld %%", 42, 3.14159, "left", 1e100, 0.1, 2.5L, 'q',
        255u, -1LL);
    formatted("%1$s %3$*2$d %1$.3s %4$zu %5$hhd", "twice", 9, 77, sizeof(int), 300);
    const char *written[] = { "1.5", "-0x1.8p3", "1e400", "nan", "inf", "  12abc", "", "4.9e-324" };
    for (size_t at = 0; at < sizeof written / sizeof *written; at++) {
        char *rest;
        errno = 0;
        double value = strtod(written[at], &rest);
        note(&value, sizeof value);
        note_number(rest - written[at]);
        note_number(errno);
        float single = strtof(written[at], NULL);
        note(&single, sizeof single);
        note_number(strtol(written[at], &rest, 0));
        note_number((long long)strtoull(written[at], NULL, 16));
    }
    int a, count = 0;
    float b;
    char word[16];
    note_number(sscanf("17 2.5 words follow", "%d %f %15[a-z]%n", &a, &b, word, &count));
    note_number(a + count);
    note(&b, sizeof b);
    note(word, strlen(word));
}

static void sorted(void)
{
    double values[200];
    long comparisons = 0;
    srandom(7);
    for (int at = 0; at < 200; at++)
        values[at] = (double)(random() % 1000) / 7;
    qsort_r(values, 150, sizeof *values, by_value_and_more, &comparisons);
    qsort(values, 200, sizeof *values, by_value);
    double *found = bsearch(&values[77], values, 200, sizeof *values, by_value);
    note_number(found && *found == values[77]);
    note_number(comparisons);
    note(values, sizeof values);
    void *root = NULL;
    for (int at = 0; at < 200; at++)
        tsearch(&values[at], &root, by_value);
    for (int at = 0; at < 200; at++)
        tdelete(&values[at], &root, by_value);
    note_number(root == NULL);
}

static void streams(void)
{
    char *memory = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&memory, &size);
    for (int at = 0; at < 100; at++)
        fprintf(stream, "%d,%s\n", at, at % 2 ? "odd" : "even");
    fclose(stream);
    note(memory, size);
    FILE *file = tmpfile();
    if (file) {
        note_number((long long)fwrite(memory, 1, size, file));
        rewind(file);
        char *line = NULL;
        size_t room = 0;
        while (getline(&line, &room, file) > 0)
            note(line, strlen(line));
        note_number(fseek(file, -10, SEEK_END) + ftell(file));
        note_number(fgetc(file));
        note_number(ungetc('x', file));
        free(line);
        fclose(file);
    }
    free(memory);
    wchar_t wide[32];
    note_number(swprintf(wide, 32, L"%ls %d", L"wide", 5));
    note(wide, wcslen(wide) * sizeof *wide);
}

static void memory_and_dates(void)
{
    void *blocks[50];
    for (size_t at = 0; at < 50; at++)
        blocks[at] = at % 3 ? malloc(at * 100) : at % 2 ? calloc(at + 1, 8) : aligned_alloc(64, 640);
    for (size_t at = 0; at < 50; at++)
        blocks[at] = realloc(blocks[at], at * 1000 + 1);
    for (size_t at = 0; at < 50; at++)
        free(blocks[at]);
    time_t moment = 1000000000;
    struct tm parts;
    char text[100];
    gmtime_r(&moment, &parts);
    note(text, strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %A %j", &parts));
    note_number(timegm(&parts));
    note_number(strptime("2020-02-29", "%Y-%m-%d", &parts) != NULL);
    note_number(parts.tm_yday);
    setenv("A_NAME", "a value", 1);
    note(getenv("A_NAME"), 7);
    unsetenv("A_NAME");
    note_number(getenv("A_NAME") == NULL);
}

static void work(void)
{
    numbers();
    sorted();
    streams();
    memory_and_dates();
}

int main(void) { return rounds_of(work); }
