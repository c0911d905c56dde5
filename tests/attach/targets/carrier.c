/* Works and reads until standard input ends, in the first thread or a child, after what its argument says. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* More than a thread's own storage usually has. */
static __thread char large[1 << 20];
static volatile double sum;

static void *wait_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static int cancelled(void)
{
    pthread_t thread;
    void *result = NULL;
    int wrong = pthread_create(&thread, NULL, wait_for_ever, NULL);
    wrong += pthread_cancel(thread) + pthread_join(thread, &result);
    return wrong + (result != PTHREAD_CANCELED);
}

__attribute__((noipa)) static int load_block(void)
{
    int file = open("/dev/zero", O_RDONLY);
    int wrong = file < 0;
    for (int i = 0; i < 20; i++)
        wrong += read(file, large, 4096) != 4096 || large[i] != 0;
    return wrong + (close(file) != 0);
}

/* Waits for the end of standard input; counts how often that is cut short. */
static int rest(void)
{
    struct pollfd input = {0, POLLIN, 0};
    int wrong = 0;
    puts("ready");
    fflush(stdout);
    while (poll(&input, 1, -1) < 0 && errno == EINTR)
        wrong++;
    return wrong;
}

static int work(void)
{
    struct pollfd input = {0, POLLIN, 0};
    int wrong = 0;
    puts("ready");
    fflush(stdout);
    do {
        for (int i = 1; i < 300000; i++)
            sum += 1.0 / i;
        wrong += load_block();
    } while (poll(&input, 1, 0) == 0);
    return wrong;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int rests = !strcmp(what, "cancelled-rests");
    int wrong = strcmp(what, "cancelled") && !rests ? 0 : cancelled();
    int status = 0;
    if (!strcmp(what, "undumpable"))
        wrong += prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0;
    if (!strcmp(what, "forked") && fork() != 0)
        return wait(&status) < 0 || status;
    wrong += rests ? rest() : work();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
