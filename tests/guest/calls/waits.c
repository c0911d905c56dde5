/* Waits for time, descriptors, sockets, children and signals in every way, right and wrong, and prints what comes back.
 *
 * build: cc -O2 waits.c -o waits -lpthread
 * run: waits
 * expect: the same text whoever listens
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define SHOW(call) show(#call, (errno = 77, (long)(call)))

static const struct timespec none = {0, 0}, moment = {0, 1000}, wrong = {0, 1000000000};

static void show(const char *call, long result)
{
    int error = errno;
    printf("%s: %ld, errno %d\n", call, result, error);
}

static void handle(int signal)
{
    (void)signal;
}

/* Rings in a moment: what waits is interrupted. */
static void ring(void)
{
    struct itimerval soon = {{0, 0}, {0, 20000}};
    setitimer(ITIMER_REAL, &soon, NULL);
}

static void time_passes(void)
{
    struct timespec left = {7, 7};
    SHOW(sleep(0));
    SHOW(usleep(1000));
    SHOW(nanosleep(&moment, NULL));
    SHOW(nanosleep(&wrong, &left));
    SHOW(nanosleep(NULL, NULL));
    SHOW(clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL));
    SHOW(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL));
    SHOW(clock_nanosleep(99, 0, &moment, NULL));
    SHOW(thrd_sleep(&moment, NULL));
    ring();
    SHOW(sleep(100) > 90);
    ring();
    SHOW(nanosleep(&(struct timespec){100, 0}, &left));
    SHOW(left.tv_sec > 90);
    ring();
    SHOW(pause());
}

static void descriptors(void)
{
    int ends[2];
    struct pollfd both[2];
    struct epoll_event event = {.events = EPOLLIN}, found[2];
    fd_set set;
    sigset_t mask;
    sigemptyset(&mask);
    SHOW(pipe(ends));
    both[0] = (struct pollfd){.fd = ends[0], .events = POLLIN};
    both[1] = (struct pollfd){.fd = ends[1], .events = POLLOUT};
    SHOW(poll(both, 2, 0));
    SHOW(poll(both, 1, 1));
    SHOW(poll(NULL, 0, 1));
    SHOW(poll((void *)8, 1, 0));
    SHOW(ppoll(both, 2, &none, NULL));
    SHOW(ppoll(both, 2, &none, &mask));
    SHOW(ppoll(both, 2, &wrong, &mask));
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    SHOW(select(ends[0] + 1, &set, NULL, NULL, &(struct timeval){0, 100}));
    SHOW(select(-1, NULL, NULL, NULL, NULL));
    SHOW(pselect(0, NULL, NULL, NULL, &moment, &mask));
    SHOW(write(ends[1], "text", 4));
    FD_SET(ends[0], &set);
    SHOW(select(ends[0] + 1, &set, NULL, NULL, NULL));
    int queue = epoll_create1(0);
    SHOW(epoll_ctl(queue, EPOLL_CTL_ADD, ends[0], &event));
    SHOW(epoll_wait(queue, found, 2, -1));
    SHOW(epoll_wait(queue, found, 0, -1));
    SHOW(epoll_wait(-1, found, 2, 0));
    SHOW(epoll_pwait(queue, found, 2, 0, &mask));
    SHOW(epoll_pwait2(queue, found, 2, &none, &mask));
    ring();
    SHOW(poll(NULL, 0, -1));
    ring();
    SHOW(select(0, NULL, NULL, NULL, NULL));
    close(queue);
    close(ends[0]);
    close(ends[1]);
}

static void sockets(void)
{
    int pair[2];
    char text[16] = "";
    struct iovec part = {text, 4};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    struct mmsghdr many[2] = {{.msg_hdr = message}, {.msg_hdr = message}};
    SHOW(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    SHOW(send(pair[0], "0123456789abcdef", 16, 0));
    SHOW(sendto(pair[0], "0123", 4, 0, NULL, 0));
    SHOW(recv(pair[1], text, 4, 0));
    SHOW(recvfrom(pair[1], text, 4, MSG_PEEK, NULL, NULL));
    SHOW(recvmsg(pair[1], &message, 0));
    SHOW(recvmmsg(pair[1], many, 2, MSG_DONTWAIT, NULL));
    SHOW(many[0].msg_len + many[1].msg_len);
    SHOW(recv(pair[1], text, 16, MSG_DONTWAIT));
    SHOW(recv(pair[1], text, 16, MSG_DONTWAIT));
    SHOW(sendmsg(pair[0], &message, 0));
    SHOW(sendmmsg(pair[0], many, 2, 0));
    SHOW(recv(-1, text, 4, 0));
    SHOW(send(pair[0], (void *)8, 4, 0));
    SHOW(accept(pair[0], NULL, NULL));
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    memcpy(name.sun_path + 1, "whyperf-waits", 13);
    snprintf(name.sun_path + 14, 32, "%d", (int)getpid());
    int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
    SHOW(connect(client, (struct sockaddr *)&name, sizeof name));
    SHOW(bind(server, (struct sockaddr *)&name, sizeof name));
    SHOW(listen(server, 4));
    SHOW(connect(client, (struct sockaddr *)&name, sizeof name));
    int accepted = accept4(server, NULL, NULL, SOCK_CLOEXEC);
    SHOW(accepted > 2);
    SHOW(close(client));
    SHOW(recv(accepted, text, 4, 0));
    SHOW(accept(accepted, NULL, NULL));
    close(accepted);
    close(server);
    close(pair[0]);
    close(pair[1]);
}

static void children(void)
{
    int status = 0;
    siginfo_t description = {0};
    struct rusage usage;
    SHOW(wait(NULL));
    SHOW(waitpid(-1, &status, WNOHANG));
    for (int way = 0; way < 5; way++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            usleep(2000);
            _exit(way);
        }
        switch (way) {
        case 0: SHOW(wait(&status) == child); break;
        case 1: SHOW(waitpid(child, &status, 0) == child); break;
        case 2: SHOW(wait3(&status, 0, &usage) == child); break;
        case 3: SHOW(wait4(child, &status, 0, &usage) == child); break;
        default: SHOW(waitid(P_PID, (id_t)child, &description, WEXITED)); break;
        }
        SHOW(WEXITSTATUS(status));
    }
    SHOW(description.si_status);
    SHOW(waitid(P_ALL, 0, NULL, WEXITED));
    SHOW(wait4(-1, (void *)8, 0, NULL));
}

static void signals(void)
{
    int which = 0;
    siginfo_t description;
    sigset_t set, mask;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigemptyset(&mask);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    SHOW(sigtimedwait(&set, NULL, &moment));
    raise(SIGUSR1);
    SHOW(sigwait(&set, &which));
    SHOW(which);
    raise(SIGUSR1);
    SHOW(sigwaitinfo(&set, &description));
    SHOW(description.si_signo);
    SHOW(sigtimedwait(&set, NULL, &wrong));
    raise(SIGUSR1);
    SHOW(sigsuspend(&mask));
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static sigjmp_buf back;

static void jump(int signal)
{
    siglongjmp(back, signal);
}

/* Out of a wait by a jump, and into the next one. */
static void jumps(void)
{
    signal(SIGALRM, jump);
    for (volatile int turn = 0; turn < 3; turn++)
        if (sigsetjmp(back, 1) == 0) {
            ring();
            SHOW(poll(NULL, 0, -1));
        } else {
            SHOW(usleep(1000));
        }
    signal(SIGALRM, handle);
}

static void *wait_for_ever(void *unused)
{
    poll(NULL, 0, -1);
    return unused;
}

/* Each of them is a place where a thread may be cancelled. */
static void cancelled(void)
{
    pthread_t thread;
    void *result;
    SHOW(pthread_create(&thread, NULL, wait_for_ever, NULL));
    SHOW(pthread_cancel(thread));
    SHOW(pthread_join(thread, &result));
    SHOW(result == PTHREAD_CANCELED);
}

int main(void)
{
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    time_passes();
    descriptors();
    sockets();
    children();
    signals();
    jumps();
    cancelled();
    return 0;
}
