/* Calls a function until its code is changed, gives up new privileges, as programs do before they filter system calls, and tells
 * whether the code is the compiler's again. Then it waits until standard input ends. */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { BYTES = 24, PATIENCE_S = 60 };

__attribute__((noipa)) static void part(void)
{
    volatile double sum = 0.0;
    for (int i = 1; i < 2000; i++)
        sum += 1.0 / i;
}

static int is_changed(const unsigned char *before)
{
    return memcmp((const void *)part, before, BYTES) != 0;
}

int main(void)
{
    unsigned char before[BYTES];
    memcpy(before, (const void *)part, BYTES);
    time_t end = time(NULL) + PATIENCE_S;
    puts("ready");
    fflush(stdout);
    while (!is_changed(before)) {
        part();
        if (time(NULL) > end)
            return puts("it was never changed"), 1;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return 1;
    puts(is_changed(before) ? "changed" : "as before");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
