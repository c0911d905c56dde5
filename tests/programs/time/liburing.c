/* A liburing that has no ring and only waits: for `rings.c`, which says how it is built. */
#include <unistd.h>

enum { NAP = 15000 };

int __io_uring_get_cqe(void *ring, void **entry, unsigned submit, unsigned number, void *mask)
{
    *entry = ring;
    usleep(NAP);
    return submit || number != 1 || mask;
}

int io_uring_submit_and_wait(void *ring, unsigned number)
{
    void *entry;
    return __io_uring_get_cqe(ring, &entry, 0, 1, 0) ? -1 : (int)number;
}
