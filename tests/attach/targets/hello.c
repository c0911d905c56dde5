/* Says that it runs and waits until standard input ends. */
#include <stdio.h>

int main(void)
{
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    puts("done");
    return 0;
}
