/* Works and reads in steps until standard input ends, then tells how often a read was not as it should be. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static volatile double sum;

__attribute__((noipa)) static void compute(void)
{
    for (int i = 1; i < 300000; i++)
        sum += 1.0 / i;
}

__attribute__((noipa)) static int load_block(void)
{
    char block[4096];
    int file = open("/dev/zero", O_RDONLY);
    int wrong = file < 0;
    for (int i = 0; i < 20; i++)
        wrong += read(file, block, sizeof block) != sizeof block || block[i] != 0;
    return wrong + (close(file) != 0);
}

int main(void)
{
    struct pollfd input = {0, POLLIN, 0};
    int wrong = 0;
    puts("ready");
    fflush(stdout);
    do {
        compute();
        wrong += load_block();
    } while (poll(&input, 1, 0) == 0);
    printf("%d wrong\n", wrong);
    return wrong ? 1 : 7;
}
