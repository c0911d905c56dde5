/* Two processors for all ranks of a program. */
#include <sched.h>

/* Where there are more, the first two: ranks with a processor each would not be in each other's way. */
static void share_two_processors(void)
{
    cpu_set_t allowed, two;
    CPU_ZERO(&two);
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        return;
    for (int at = 0; at < CPU_SETSIZE && CPU_COUNT(&two) < 2; at++)
        if (CPU_ISSET(at, &allowed))
            CPU_SET(at, &two);
    sched_setaffinity(0, sizeof two, &two);
}
