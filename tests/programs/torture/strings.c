/* Every function on strings, bytes and wide characters of the C library, at many lengths and alignments. */
#include "rounds.h"

#include <argz.h>
#include <ctype.h>
#include <envz.h>
#include <strings.h>
#include <wchar.h>
#include <wctype.h>

static char area[4096], other[4096];
static wchar_t wide[512], more[512];

static void fill(void)
{
    for (size_t at = 0; at < sizeof area; at++) {
        area[at] = (char)('a' + at * 7 % 26);
        other[at] = (char)('A' + at * 11 % 26);
    }
    for (size_t at = 0; at < 512; at++)
        wide[at] = more[at] = (wchar_t)('a' + at * 5 % 26);
}

static void note_place(const void *found, const void *start)
{
    note_number(found ? (const char *)found - (const char *)start : -1);
}

static int sign(int value) { return (value > 0) - (value < 0); }

static void bytes(size_t from, size_t length)
{
    char *here = area + from, *there = other + from % 17;
    fill();
    note_place(memchr(here, 'q', length), here);
    note_place(memrchr(here, 'q', length), here);
    note_place(rawmemchr(here, 'q'), here);
    note_place(memmem(here, length, here + length / 2, length / 4), here);
    note_number(sign(memcmp(here, there, length)));
    note_place(mempcpy(there, here, length), there);
    note_number(memcmp(here, there, length));
    note_place(memccpy(there, here, 'z', length), there);
    memmove(there + 3, there, length);
    memset(there, 'x', length / 3);
    swab(here, there, (ssize_t)(length & ~1ul));
    bcopy(here, there + 1, length);
    bzero(there, length / 5);
    explicit_bzero(there + 2, length / 6);
    memfrob(there, length);
    note(other, 1024);
}

static void terminated(size_t from, size_t length)
{
    char *here = area + from, *there = other + from % 13;
    fill();
    here[length] = there[length / 2] = 0;
    note_number((long long)strlen(here));
    note_number((long long)strnlen(here, length / 2 + 1));
    note_place(strchr(here, 'm'), here);
    note_place(strrchr(here, 'm'), here);
    note_place(strchrnul(here, '!'), here);
    note_place(strstr(here, "ahov"), here);
    note_place(strcasestr(here, "AHOV"), here);
    note_place(strpbrk(here, "xyz"), here);
    note_place(index(here, 'b'), here);
    note_place(rindex(here, 'b'), here);
    note_number((long long)strspn(here, "ahovcj"));
    note_number((long long)strcspn(here, "xz"));
    note_number(sign(strcmp(here, there)));
    note_number(sign(strncmp(here, here + 26 % (length + 1), length)));
    note_number(sign(strcasecmp(here, there)));
    note_number(sign(strncasecmp(here, there, length)));
    note_number(sign(strcoll(here, there)));
    note_number(sign(strverscmp("file10", "file9")));
    char *copy = strdup(here), *part = strndup(here, length / 3);
    note(copy, strlen(copy) + 1);
    note(part, strlen(part) + 1);
    free(copy);
    free(part);
    char *end = stpcpy(there, here);
    note_place(end, there);
    strcat(end, "tail");
    strncat(end, here, 5);
    note_place(stpncpy(there, "short", 9), there);
    strncpy(there + 20, "longer text", 7);
    note_number((long long)strxfrm(there + 100, here, 500));
    char *rest = here;
    for (char *word; (word = strsep(&rest, "e")) != NULL;)
        note(word, strlen(word));
    char list[] = "one two,three";
    char *state = NULL;
    for (char *word = strtok_r(list, " ,", &state); word; word = strtok_r(NULL, " ,", &state))
        note(word, strlen(word));
    note(other, 1024);
    for (int error = 0; error < 40; error++)
        note(strerror(error), strlen(strerror(error)));
    note(strsignal(11), strlen(strsignal(11)));
    note(basename("/a/b/c"), 1);
    note_number(ffs(40) + ffsl(80) + ffsll(160));
}

static void characters(size_t length)
{
    fill();
    for (int c = 0; c < 128; c++)
        note_number(isalpha(c) * 2 + isdigit(c) * 3 + isspace(c) * 5 + toupper(c) + towlower((wint_t)c));
    wide[length] = 0;
    note_number((long long)wcslen(wide));
    note_place(wcschr(wide, L'k'), wide);
    note_place(wcsrchr(wide, L'k'), wide);
    note_place(wcsstr(wide, L"afk"), wide);
    note_place(wcspbrk(wide, L"xyz"), wide);
    note_number((long long)wcsspn(wide, L"afk"));
    note_number((long long)wcscspn(wide, L"z"));
    note_place(wmemchr(more, L'q', length), more);
    note_number(sign(wmemcmp(wide, more, length)));
    note_number(sign(wcscmp(wide, more)));
    note_number(sign(wcscasecmp(wide, more)));
    wcscpy(more, wide);
    wcsncat(more, L"tail", 3);
    wmemmove(more + 2, more, length);
    note(more, sizeof more);
    char narrow[600];
    size_t count = wcstombs(narrow, wide, sizeof narrow);
    note(narrow, count);
    note_number((long long)mbstowcs(more, narrow, 512));
    note_number(wcstol(L"-123", NULL, 10));
    char *list = NULL;
    size_t size = 0;
    argz_create_sep("red:green:blue", ':', &list, &size);
    argz_add(&list, &size, "more");
    envz_add(&list, &size, "name", "value");
    argz_stringify(list, size, ';');
    note(list, size);
    free(list);
}

static void work(void)
{
    for (size_t length = 1; length < 400; length = length * 3 / 2 + 1) {
        for (size_t from = 0; from < 70; from += 13) {
            bytes(from, length);
            terminated(from, length);
        }
        characters(length);
    }
}

int main(void) { return rounds_of(work); }
