/* What <wchar.h>, <wctype.h>, <ctype.h> and <string.h> declare beyond the usual: kinds of characters, conversions, wide
 * text and streams, all of them also for a locale that is named. */
#include "rounds.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <strings.h>
#include <time.h>
#include <wchar.h>
#include <wctype.h>

static locale_t locale;

static int sign(int value) { return (value > 0) - (value < 0); }

static void note_wide(const wchar_t *text) { note(text, (wcslen)(text) * sizeof *text); }

#define KINDS(X) X(alnum) X(alpha) X(blank) X(cntrl) X(digit) X(graph) X(lower) X(print) X(punct) X(space) X(upper) X(xdigit)

static void kinds(void)
{
    wctype_t vowel = wctype("alpha"), same = wctype_l("alpha", locale);
    wctrans_t lower = wctrans("tolower"), higher = wctrans_l("toupper", locale);
    for (int c = 0; c < 128; c++) {
        int found = 0;
        wint_t w = (wint_t)c;
#define X(kind)                                                                                       \
    found = found * 2 + !!(is##kind)(c);                                                              \
    found += !!(is##kind##_l)(c, locale) + !!(isw##kind)(w) + !!(isw##kind##_l)(w, locale);
        KINDS(X)
#undef X
        note_number(found);
        note_number((tolower)(c) + (toupper)(c) * 3 + (tolower_l)(c, locale) * 5 + (toupper_l)(c, locale) * 7);
        note_number(towlower(w) + towupper(w) * 3 + towlower_l(w, locale) * 5 + towupper_l(w, locale) * 7);
        note_number(!!iswctype(w, vowel) + !!iswctype_l(w, same, locale) * 2);
        note_number(towctrans(w, lower) + towctrans_l(w, higher, locale) * 3);
        note_number((isascii)(c) + (toascii)(c + 128) * 2);
        note_number((long long)(btowc)(c) + (wctob)(w) * 3 + (wcwidth)((wchar_t)c) * 5);
    }
    for (int c = 'A'; c <= 'Z'; c++)
        note_number((_tolower)(c) + (_toupper)(c + 32) + !!(isctype)(c, _ISalpha));
}

static void named(void)
{
    char text[200] = "the quick brown fox", other[200] = "The Quick", *word;
    note_number(sign(strcasecmp_l(text, other, locale)) + 2 * sign(strncasecmp_l(text, other, 5, locale)));
    note_number(sign(strcoll_l(text, other, locale)) + (int)strxfrm_l(other, text, 50, locale));
    note_number(sign((bcmp)(text, other, 5)));
    (strcpy)(other, text);
    for (word = (strtok)(other, " "); word; word = (strtok)(NULL, " "))
        note(word, strlen(word));
    note(text, strlen((strfry)((strcpy)(other, "only its length"))));
    for (int error = 1; error < 40; error++) {
        const char *said = strerror_l(error, locale);
        note(said, strlen(said));
        said = strerror_r(error, other, sizeof other);
        note(said, strlen(said));
        note(strerrorname_np(error) ? strerrorname_np(error) : "", 1);
        note(strerrordesc_np(error) ? strerrordesc_np(error) : "", 1);
        note(sigabbrev_np(error) ? sigabbrev_np(error) : "", 1);
        note(sigdescr_np(error) ? sigdescr_np(error) : "", 1);
    }
}

static void wide(size_t length)
{
    wchar_t one[300], other[600], *copy, *state, *word;
    (wmemset)(one, L'a', 300);
    for (size_t at = 0; at < length; at++)
        one[at] = (wchar_t)(L'a' + at * 7 % 26);
    one[length] = 0;
    note_number((long long)(wcsnlen)(one, 300) + ((wcschrnul)(one, L'!') - one));
    (wmemcpy)(other, one, length + 1);
    note_number((wmempcpy)(other, one, length) - other);
    note_number((wcpcpy)(other, one) - other);
    note_wide((wcscat)(other, L"tail"));
    note_number((wcpncpy)(other, L"short", 9) - other);
    note_wide((wcsncpy)(other, L"other", 3));
    note_number(sign((wcsncmp)(one, other, 4)) + sign((wcscasecmp)(one, other)) * 3);
    note_number(sign((wcsncasecmp)(one, other, 4)) + sign((wcscoll)(one, other)) * 3);
    note_number(sign(wcscasecmp_l(one, other, locale)) + sign(wcsncasecmp_l(one, other, 4, locale)) * 3);
    note_number(sign(wcscoll_l(one, other, locale)) + (int)wcsxfrm_l(other, one, 600, locale));
    note_number((long long)(wcsxfrm)(other, one, 600) + (wcswidth)(one, length));
    note_number((wcswcs)(one, L"afk") ? 1 : 0);
    copy = (wcsdup)(one);
    for (word = (wcstok)(copy, L"eo", &state); word; word = (wcstok)(NULL, L"eo", &state))
        note_wide(word);
    free(copy);
}

static void numbers(void)
{
    wchar_t *end;
    const wchar_t *text = L"-12.75e1 rest", *count = L"777 rest";
#define NOTE(call)                             \
    do {                                       \
        note_number((long long)((call) * 4));  \
        note_number(end - (text + 0) > 0);     \
    } while (0)
    NOTE(wcstod(text, &end));
    NOTE(wcstof(text, &end));
    NOTE(wcstold(text, &end));
    NOTE(wcstof128(text, &end));
    NOTE(wcstod_l(text, &end, locale));
    NOTE(wcstof_l(text, &end, locale));
    NOTE(wcstold_l(text, &end, locale));
    NOTE(wcstof128_l(text, &end, locale));
    note_number(wcstoul(count, &end, 8) + (unsigned long)wcstol_l(count, &end, 8, locale));
    note_number((long long)wcstoull(count, &end, 8) + wcstoll(count, &end, 8));
    note_number((long long)(wcstoul_l(count, &end, 8, locale) + wcstoull_l(count, &end, 8, locale)));
    note_number(wcstoll_l(count, &end, 8, locale) + wcstoq(count, &end, 8) + (long long)wcstouq(count, &end, 8));
}

static void conversions(void)
{
    mbstate_t state;
    char narrow[100];
    wchar_t text[100];
    const char *from = "many bytes";
    const wchar_t *back = text;
    memset(&state, 0, sizeof state);
    note_number((mbsinit)(&state) + (int)(mbrlen)(from, 3, &state) + (int)(mbrtowc)(text, from, 3, &state));
    note_number((long long)(mbsrtowcs)(text, &from, 100, &state));
    note_wide(text);
    from = "some more";
    note_number((long long)(mbsnrtowcs)(text, &from, 4, 100, &state));
    note_number((long long)(wcrtomb)(narrow, L'x', &state));
    text[4] = 0;
    note_number((long long)(wcsrtombs)(narrow, &back, 100, &state));
    back = text;
    note_number((long long)(wcsnrtombs)(narrow, &back, 2, 100, &state));
    struct tm time = { .tm_year = 100, .tm_mon = 4, .tm_mday = 17 };
    note_number((long long)wcsftime(text, 100, L"%Y-%m-%d %A", &time));
    note_wide(text);
    note_number((long long)wcsftime_l(text, 100, L"%d.%m.%Y", &time, locale));
    note_wide(text);
}

static void print(FILE *stream, wchar_t *into, const wchar_t *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    note_number(vfwprintf(stream, format, list));
    note_number(vswprintf(into, 100, format, again));
    va_end(again);
    va_end(list);
}

static void scan(FILE *stream, const wchar_t *text, const wchar_t *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    note_number(vfwscanf(stream, format, list));
    note_number(vswscanf(text, format, again));
    va_end(again);
    va_end(list);
}

static void streams(void)
{
    wchar_t *text = NULL, line[100] = L"";
    size_t size = 0;
    int number = 0;
    FILE *stream = open_wmemstream(&text, &size);
    fwide(stream, 1);
    fwprintf(stream, L"%d %ls\n", 17, L"words");
    print(stream, line, L"%d more\n", 4);
    note_wide(line);
    note_number(swprintf(line, 100, L"%.3f", 1.5) + swscanf(L"12", L"%d", &number) + number);
    fputwc(L'a', stream);
    fputwc_unlocked(L'b', stream);
    (putwc)(L'c', stream);
    (putwc_unlocked)(L'd', stream);
    fputws(L"end\n", stream);
    fputws_unlocked(L"line\n", stream);
    fclose(stream);
    note_wide(text);
    free(text);
    /* Streams in memory cannot be read as wide ones. */
    stream = tmpfile();
    fputs("x12 y\nline\nanother\n34 abcdef", stream);
    fflush(stream);
    int file = dup(fileno(stream));
    fclose(stream);
    lseek(file, 0, SEEK_SET);
    stream = fdopen(file, "r");
    note_number((long long)fgetwc(stream));
    ungetwc(L'5', stream);
    note_number(fwscanf(stream, L"%d", &number) + number);
    fgetws(line, 100, stream);
    note_wide(line);
    fgetws(line, 100, stream);
    fgetws_unlocked(line, 100, stream);
    note_wide(line);
    scan(stream, L"56", L"%d", &number);
    note_number((long long)(fgetwc_unlocked(stream) + (getwc)(stream) * 3 + (getwc_unlocked)(stream) * 5));
    fclose(stream);
}

static void work(void)
{
    kinds();
    named();
    for (size_t length = 1; length < 250; length = length * 3 / 2 + 1)
        wide(length);
    numbers();
    conversions();
    streams();
}

int main(void)
{
    locale = newlocale(LC_ALL_MASK, "C", NULL);
    return rounds_of(work);
}
