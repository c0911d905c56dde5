/* Its first thread ends, and another one waits until the input does. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *wait(void *argument)
{
    while (getchar() != EOF)
        ;
    puts("done");
    exit(0);
    return argument;
}

int main(void)
{
    pthread_t thread;
    puts("ready");
    fflush(stdout);
    if (pthread_create(&thread, NULL, wait, NULL))
        return 1;
    pthread_exit(NULL);
}
