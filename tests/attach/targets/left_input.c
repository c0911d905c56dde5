/* Whether the input of a program has ended, for one in Fortran. */
#include <poll.h>

int input_has_ended(void);

int input_has_ended(void)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};
    return poll(&input, 1, 0) != 0;
}
