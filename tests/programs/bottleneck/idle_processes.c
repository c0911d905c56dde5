/* One process works; it started others that wait for work by design: a pool whose workers take turns at a semaphore to read tasks from a pipe, and a server with threads that wait for it at another one.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls idle_processes.c -o idle_processes -lpthread
 * run: idle_processes [seconds]
 * hypothesis: CPUbound
 * function: /Code/idle_processes.c/work_alone
 * object: none
 * shows: CPUbound
 * refutes: ExcessiveSyncWaitingTime, ExcessiveIOBlockingTime, BlockedElsewhere
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../seconds.h"

#define OWN_NAME __attribute__((noipa))

enum { WORKERS = 3, ROUNDS = 20 };

static sem_t *turn, connections;
static int tasks[2], answers[2], listener;

static void work_in_pool(void)
{
    char task;
    for (;;) {
        sem_wait(turn);
        ssize_t got = read(tasks[0], &task, 1);
        sem_post(turn);
        if (got != 1 || write(answers[1], &task, 1) != 1)
            _exit(got != 0);
    }
}

static void *handler(void *nothing)
{
    for (;;)
        sem_wait(&connections);
    return nothing;
}

static void serve(void)
{
    sem_init(&connections, 0, 0);
    for (int i = 0; i < WORKERS; i++) {
        pthread_t id;
        if (pthread_create(&id, NULL, handler, NULL))
            _exit(1);
    }
    /* The end of who started it hangs up the pipe of tasks. */
    struct pollfd awaited[2] = {{.fd = listener, .events = POLLIN}, {.fd = tasks[0]}};
    char request = 0;
    while (request != 'q' && poll(awaited, 2, -1) > 0 && !awaited[1].revents) {
        int client = accept(listener, NULL, NULL);
        if (client < 0 || read(client, &request, 1) != 1 || write(client, &request, 1) != 1)
            _exit(1);
        close(client);
        sem_post(&connections);
    }
    _exit(0);
}

static struct sockaddr_in listen_somewhere(void)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof own;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&own, size) || listen(listener, 4) ||
        getsockname(listener, (struct sockaddr *)&own, &size))
        exit(1);
    return own;
}

static int ask(const struct sockaddr_in *server, char request)
{
    char answer = 0;
    int own = socket(AF_INET, SOCK_STREAM, 0);
    int failed = connect(own, (const struct sockaddr *)server, sizeof *server) ||
                 write(own, &request, 1) != 1 || read(own, &answer, 1) != 1;
    close(own);
    return !failed && answer == request;
}

static int hand_out(char task)
{
    char done;
    for (int i = 0; i < WORKERS; i++)
        if (write(tasks[1], &task, 1) != 1)
            return 0;
    for (int i = 0; i < WORKERS; i++)
        if (read(answers[0], &done, 1) != 1)
            return 0;
    return 1;
}

OWN_NAME static double work_alone(double seconds)
{
    volatile double sum = 0.0;
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 1; i < 5000; i++)
            sum += 1.0 / i;
    return sum;
}

int main(int count, char **words)
{
    double seconds = count > 1 ? atof(words[1]) : 4.0;
    turn = mmap(NULL, sizeof *turn, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (turn == MAP_FAILED || sem_init(turn, 1, 1) || pipe(tasks) || pipe(answers))
        return 1;
    struct sockaddr_in server = listen_somewhere();
    for (int i = 0; i <= WORKERS; i++) {
        pid_t child = fork();
        if (child < 0)
            return 1;
        if (child == 0) {
            close(tasks[1]);
            i == WORKERS ? serve() : work_in_pool();
        }
    }
    close(listener);
    double sum = 0.0;
    for (int round = 1; round <= ROUNDS; round++) {
        sum += work_alone(seconds / ROUNDS);
        if (!hand_out('t') || !ask(&server, round == ROUNDS ? 'q' : 'r'))
            return 1;
    }
    close(tasks[1]);
    int status, good = 0;
    while (wait(&status) > 0)
        good += status == 0;
    printf("worked: %s, ended well: %d\n", sum > 0 ? "yes" : "no", good);
    return 0;
}
