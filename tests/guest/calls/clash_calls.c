/* Calls them all and prints what they answer. */
#include "clash.h"

int printf(const char *format, ...);

void SHOW(const char *whose) {
    struct three point = {1, 2, 3};
    point = rename(point, 4);
    printf("%s: %g %g %g %g %g ", whose, splice(1, 2.5, 3, 4.5f, 5, 6, 7, 8, 9.5), remove(200.5, 3, "a"), point.x, point.y,
           point.z);
    printf("%s ", open(3, 64.0, 1, 65.0, 1, 66.0, 1));
    printf("%Lg %g %d %g ", truncate(7.9L), access(3.0f), dprintf(4.0, 2), execv(1.5));
    printf("%g %g %g %g\n", setuid(1.5, 3), prctl(9, 1., 2., 3., 4., 5., 6., 7., 8., 9.5), syscall(9.0, 2), unshare());
}
