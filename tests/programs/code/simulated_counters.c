/* Stands in for the counters of a processor on machines that have none: whoever opens one, with this library preloaded, gets the kernel's
 * clock of the thread in its place, whose nanoseconds are what it counts. So the truth is known, and all the rest is as it is with counters.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

static long kernel(long number, const long a[6])
{
    long result;
    register long fourth __asm__("r10") = a[3];
    register long fifth __asm__("r8") = a[4];
    register long sixth __asm__("r9") = a[5];
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}

long syscall(long number, ...)
{
    long a[6];
    va_list words;
    va_start(words, number);
    for (int at = 0; at < 6; at++)
        a[at] = va_arg(words, long);
    va_end(words);

    struct perf_event_attr event = {0};
    if (number == SYS_perf_event_open) {
        const struct perf_event_attr *asked = (const struct perf_event_attr *)a[0];
        memcpy(&event, asked, asked->size < sizeof event ? asked->size : sizeof event);
        if (event.type == PERF_TYPE_HARDWARE || event.type == PERF_TYPE_HW_CACHE) {
            event.type = PERF_TYPE_SOFTWARE;
            event.config = PERF_COUNT_SW_TASK_CLOCK;
            a[0] = (long)&event;
        }
    }
    long result = kernel(number, a);
    if (result >= -4095 && result < 0) {
        errno = (int)-result;
        return -1;
    }
    return result;
}
