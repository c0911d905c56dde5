/* Receives from sockets of several kinds, one after the other, and counts by a clock for how long it waited at each of them.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls peers.c -o peers
 * run: peers own-port other-port path [turns]
 * Somebody connects to its own port, it connects to the other port and to the path, and two ends have no name at all.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../seconds.h"

enum { NAP = 5000 };

union address {
    struct sockaddr any;
    struct sockaddr_in internet;
    struct sockaddr_un local;
};

static socklen_t size_of(const union address *address)
{
    return address->any.sa_family == AF_UNIX ? sizeof address->local : sizeof address->internet;
}

static union address at_port(int port)
{
    union address address = {.internet = {.sin_family = AF_INET, .sin_port = htons(port)}};
    address.internet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static union address at_path(const char *path)
{
    union address address = {.local = {.sun_family = AF_UNIX}};
    strncpy(address.local.sun_path, path, sizeof address.local.sun_path - 1);
    return address;
}

static void must(int is_done, const char *what)
{
    if (!is_done) {
        perror(what);
        exit(2);
    }
}

static int listener(const union address *address)
{
    int end = socket(address->any.sa_family, SOCK_STREAM, 0), yes = 1;
    setsockopt(end, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    must(bind(end, &address->any, size_of(address)) == 0, "bind");
    must(listen(end, 1) == 0, "listen");
    return end;
}

static int connected(const union address *address)
{
    int end = socket(address->any.sa_family, SOCK_STREAM, 0);
    must(connect(end, &address->any, size_of(address)) == 0, "connect");
    return end;
}

/* A child that naps and sends a byte, as often as there are turns. */
static void sends(int end, int turns)
{
    while (turns-- > 0) {
        usleep(NAP);
        must(send(end, "x", 1, 0) == 1, "send");
    }
    _exit(0);
}

__attribute__((noipa)) static double hear(int end, int turns)
{
    double waited = 0;
    char byte;
    while (turns-- > 0) {
        double begin = seconds_of(CLOCK_MONOTONIC);
        must(recv(end, &byte, 1, 0) == 1, "recv");
        waited += seconds_of(CLOCK_MONOTONIC) - begin;
    }
    close(end);
    wait(NULL);
    return waited;
}

int main(int argc, char **argv)
{
    must(argc > 3, "own-port other-port path");
    int turns = argc > 4 ? atoi(argv[4]) : 60, pair[2];
    union address own = at_port(atoi(argv[1])), other = at_port(atoi(argv[2])), path = at_path(argv[3]);

    int listens = listener(&own);
    if (fork() == 0)
        sends(connected(&own), turns);
    printf("accepted %.6f\n", hear(accept(listens, NULL, NULL), turns));

    union address *others[] = {&other, &path};
    const char *names[] = {"connected", "local"};
    for (int at = 0; at < 2; at++) {
        listens = listener(others[at]);
        if (fork() == 0)
            sends(accept(listens, NULL, NULL), turns);
        close(listens);
        printf("%s %.6f\n", names[at], hear(connected(others[at]), turns));
    }

    must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "socketpair");
    if (fork() == 0)
        sends(pair[1], turns);
    printf("nameless %.6f\n", hear(pair[0], turns));
    unlink(argv[3]);
    return 0;
}
