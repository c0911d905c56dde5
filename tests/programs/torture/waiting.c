/* Threads compute and wait in turn, in every way that answers EINTR after a signal: none must, for there is no signal. */
#include "rounds.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <time.h>

enum { WAYS = 6, LIMIT = 50000, SECONDS = 1 };

__attribute__((noinline)) static double computed(int n)
{
    char text[40];
    double sum = 0;
    for (int at = 1; at < n; at++)
        sum += sin(at);
    snprintf(text, sizeof text, "%.3f", sum);
    return strtod(text, NULL);
}

static int wait_once(int way, int epoll, sem_t *semaphore, int set, int queue, int socket)
{
    struct timespec limit = { 0, LIMIT };
    struct epoll_event event;
    struct sembuf down = { 0, -1, 0 };
    struct { long kind; char text[8]; } message = { 1, "text" };
    char byte;
    switch (way) {
    case 0:
        return epoll_wait(epoll, &event, 1, 1);
    case 1:
        return nanosleep(&limit, NULL);
    case 2:
        return poll(NULL, 0, 1);
    case 3:
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_nsec += LIMIT;
        limit.tv_sec += limit.tv_nsec / 1000000000;
        limit.tv_nsec %= 1000000000;
        return sem_timedwait(semaphore, &limit);
    case 4:
        msgsnd(queue, &message, sizeof message.text, 0);
        msgrcv(queue, &message, sizeof message.text, 0, 0);
        return semtimedop(set, &down, 1, &limit);
    default:
        return recv(socket, &byte, 1, 0);
    }
}

static void *wait_and_compute(void *argument)
{
    long *interrupted = argument;
    int way = (int)*interrupted, sockets[2];
    struct timeval limit = { 0, LIMIT / 1000 };
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
    setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    int epoll = epoll_create1(0);
    int set = semget(IPC_PRIVATE, 1, 0600), queue = msgget(IPC_PRIVATE, 0600);
    *interrupted = 0;
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        volatile double sink = computed(200);
        (void)sink;
        int result = wait_once(way, epoll, &semaphore, set, queue, sockets[0]);
        *interrupted += result == -1 && errno == EINTR;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec <= begin.tv_sec + SECONDS);
    semctl(set, 0, IPC_RMID);
    msgctl(queue, IPC_RMID, NULL);
    close(epoll);
    close(sockets[0]);
    close(sockets[1]);
    return NULL;
}

static void work(void)
{
    static long total;
    pthread_t threads[WAYS];
    long interrupted[WAYS];
    for (long way = 0; way < WAYS; way++) {
        interrupted[way] = way;
        pthread_create(&threads[way], NULL, wait_and_compute, &interrupted[way]);
    }
    for (int way = 0; way < WAYS; way++) {
        pthread_join(threads[way], NULL);
        total += interrupted[way];
    }
    note_number(total);
}

int main(void)
{
    return rounds_of(work);
}
