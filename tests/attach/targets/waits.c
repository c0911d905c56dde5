/* Waits once in the way its argument names, for ten seconds, and says how that ended. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 10 };

static int in_epoll(void)
{
    struct epoll_event event;
    return epoll_wait(epoll_create1(0), &event, 1, SECONDS * 1000);
}

static int in_nanosleep(void)
{
    struct timespec time = {SECONDS, 0};
    return nanosleep(&time, NULL);
}

static int in_futex(void)
{
    sem_t semaphore;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += SECONDS;
    sem_init(&semaphore, 0, 0);
    int result = sem_timedwait(&semaphore, &end);
    return result == -1 && errno == ETIMEDOUT ? 0 : result;
}

static int in_poll(void)
{
    return poll(NULL, 0, SECONDS * 1000);
}

static int in_select(void)
{
    struct timeval time = {SECONDS, 0};
    return select(0, NULL, NULL, NULL, &time);
}

static int in_sigtimedwait(void)
{
    struct timespec time = {SECONDS, 0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int result = sigtimedwait(&set, NULL, &time);
    return result == -1 && errno == EAGAIN ? 0 : result;
}

static int in_recv(void)
{
    int pair[2];
    char byte;
    struct timeval time = {SECONDS, 0};
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    int result = (int)recv(pair[0], &byte, 1, 0);
    return result == -1 && errno == EAGAIN ? 0 : result;
}

static int in_semop(void)
{
    int set = semget(IPC_PRIVATE, 1, 0600);
    struct sembuf take = {0, -1, 0};
    struct timespec time = {SECONDS, 0};
    int result = semtimedop(set, &take, 1, &time);
    int error = errno;
    semctl(set, 0, IPC_RMID);
    errno = error;
    return result == -1 && errno == EAGAIN ? 0 : result;
}

static void wake(int unused)
{
    (void)unused;
}

/* Ends by the program's own signal. */
static int woken(int (*wait)(void))
{
    struct itimerval end = {{0, 0}, {SECONDS, 0}};
    struct timespec begin, now;
    signal(SIGALRM, wake);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    setitimer(ITIMER_REAL, &end, NULL);
    int result = wait();
    int error = errno;
    clock_gettime(CLOCK_MONOTONIC, &now);
    errno = error;
    return result == -1 && errno == EINTR && now.tv_sec - begin.tv_sec >= SECONDS - 1 ? 0 : 1;
}

static int suspend(void)
{
    sigset_t none;
    sigemptyset(&none);
    return sigsuspend(&none);
}

static int in_pause(void)
{
    return woken(pause);
}

static int in_sigsuspend(void)
{
    return woken(suspend);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*wait)(void);
    } ways[] = {{"epoll", in_epoll}, {"nanosleep", in_nanosleep}, {"futex", in_futex}, {"poll", in_poll},
                {"select", in_select}, {"sigtimedwait", in_sigtimedwait}, {"recv", in_recv}, {"semop", in_semop},
                {"pause", in_pause}, {"sigsuspend", in_sigsuspend}};
    puts("ready");
    fflush(stdout);
    for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(argv[1], ways[i].name)) {
            int result = ways[i].wait();
            printf("%s %s\n", argv[1], result ? strerror(errno) : "undisturbed");
            return result ? 1 : 0;
        }
    return 2;
}
