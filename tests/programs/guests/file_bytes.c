/* Moves bytes by many calls of the C library, each a different number, and counts them by what the manual says of each call.
 *
 * build: cc -O2 -U_FORTIFY_SOURCE file_bytes.c -o file_bytes
 * run: file_bytes, in an empty directory
 * expect: a line "<call> <bytes out> <bytes in>" for each call
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

static struct { const char *call; long out, in; } known[64];
static int count;

static void knows(const char *call, long out, long in)
{
    if (out < 0 || in < 0)
        abort();
    known[count].call = call;
    known[count].out = out;
    known[count++].in = in;
}

#define OUT(name, ...) knows(#name, name(__VA_ARGS__), 0)
#define IN(name, ...) knows(#name, 0, name(__VA_ARGS__))
#define BOTH(name, ...) do { long moved = name(__VA_ARGS__); knows(#name, moved, moved); } while (0)

static char buffer[8192];

static void descriptors(void)
{
    struct iovec parts[] = {{buffer, 11}, {buffer + 100, 13}};
    int file = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    int copy = open("copy", O_RDWR | O_CREAT | O_TRUNC, 0600);
    OUT(write, file, buffer, 1009);
    OUT(pwrite, file, buffer, 57, 2000);
    OUT(writev, file, parts, 2);
    OUT(pwritev, file, parts, 1, 3000);
    OUT(pwritev2, file, parts + 1, 1, 3100, 0);
    IN(pread, file, buffer, 501, 2);
    IN(readv, file, parts, 2);
    IN(preadv, file, parts, 1, 5);
    IN(preadv2, file, parts + 1, 1, 5, 0);
    /* Less than was asked for: the file ends. */
    lseek(file, -5, SEEK_END);
    IN(read, file, buffer, 100);
    lseek(file, 0, SEEK_SET);
    BOTH(sendfile, copy, file, NULL, 203);
    BOTH(copy_file_range, file, NULL, copy, NULL, 307, 0);
    close(copy);
    close(file);
}

static void streams(void)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen("stream", "w+");
    memset(buffer, 'x', sizeof buffer);
    OUT(3 * fwrite, buffer, 3, 7, file);
    knows("fputs", fputs("four\n", file) < 0 ? -1 : 5, 0);
    OUT(fprintf, file, "%d and\n", 12345);
    OUT(dprintf, fileno(file), "%s", "apart");
    rewind(file);
    IN(5 * fread, buffer, 5, 4, file);
    knows("fgets", 0, fgets(buffer, 4, file) == NULL ? -1 : (long)strlen(buffer));
    IN(getdelim, &line, &size, '\n', file);
    fclose(file);
    free(line);
}

int main(void)
{
    descriptors();
    streams();
    for (int i = 0; i < count; i++) {
        const char *call = strrchr(known[i].call, ' ');
        printf("%s %ld %ld\n", call == NULL ? known[i].call : call + 1, known[i].out, known[i].in);
    }
    return 0;
}
