/* Calls the functions of files, right and wrong, and prints each result with errno.
 *
 * build: cc -O2 -D_FORTIFY_SOURCE=2 files.c -o files
 * run: files, in an empty directory
 * expect: the same text whoever listens
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define SHOW(call) show(#call, (errno = 77, (long)(call)))

static void show(const char *call, long result)
{
    int error = errno;
    fprintf(stderr, "%s: %ld, errno %d\n", call, result, error);
}

static void pointers(void)
{
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(page + 4096, 4096, PROT_NONE);
    char *edge = strcpy(page + 4096 - sizeof "whole", "whole");
    char *open_end = memset(page, 'x', 4096 - sizeof "whole");
    memset(edge, 'x', sizeof "whole");
    struct stat status;
    SHOW(open(NULL, O_RDONLY));
    SHOW(open((char *)8, O_RDONLY));
    SHOW(open(open_end, O_RDONLY));
    SHOW(open(page + 4096, O_RDONLY));
    SHOW(stat((char *)0x10000, &status));
    SHOW(statx(0, NULL, 0, STATX_ALL, NULL));
    SHOW(access("", F_OK));
    strcpy(edge, "whole");
    SHOW(open(edge, O_CREAT | O_WRONLY | O_EXCL, 0600) > 2);
    SHOW(unlink(edge));
    SHOW(read(0, (char *)8, 0));
    SHOW(write(1, (char *)8, 4) == -1);
}

static void descriptors(void)
{
    char buffer[100] = "0123456789";
    struct iovec parts[] = {{buffer, 3}, {buffer + 50, 4}};
    struct stat status;
    int file = open("./a/../file", O_RDWR | O_CREAT | O_TRUNC, 0640);
    SHOW(file == -1);
    file = open(".//./file", O_RDWR | O_CREAT | O_TRUNC, 0640);
    SHOW(fstat(file, &status));
    SHOW(status.st_mode & 0777);
    SHOW(write(file, buffer, 10));
    SHOW(pwrite(file, buffer, 5, 20));
    SHOW(writev(file, parts, 2));
    SHOW(pwritev2(file, parts, 2, 40, 0));
    SHOW(lseek(file, 0, SEEK_END));
    SHOW(lseek(file, -1, SEEK_SET));
    SHOW(pread(file, buffer, sizeof buffer, 2));
    SHOW(readv(file, parts, 2));
    SHOW(lseek(file, 1, SEEK_SET));
    SHOW(read(file, buffer, 7));
    SHOW(ftruncate(file, 5));
    SHOW(read(file, buffer, 7));
    SHOW(fsync(file));
    SHOW(posix_fallocate(file, 0, -1));
    int copy = openat(AT_FDCWD, "copy", O_RDWR | O_CREAT, 0600);
    off_t from = 0;
    SHOW(sendfile(copy, file, &from, 100));
    SHOW(copy_file_range(file, NULL, copy, NULL, 100, 0));
    SHOW(dup2(copy, 99));
    SHOW(close(copy));
    SHOW(write(99, "x", 1));
    SHOW(close(99));
    SHOW(close(99));
    SHOW(close_range(98, 120, 0));
    SHOW(read(-1, buffer, 1));
    SHOW(write(1 << 20, buffer, 1));
    SHOW(rename("copy", "moved"));
    SHOW(unlink("copy"));
    SHOW(mkdir("folder", 0700));
    int folder = open("folder", O_RDONLY | O_DIRECTORY);
    SHOW(openat(folder, "inner", O_CREAT | O_WRONLY, 0600) > 2);
    SHOW(access("folder/inner", R_OK));
    DIR *entries = fdopendir(folder);
    SHOW(closedir(entries));
    SHOW(closedir(NULL));
    SHOW(opendir("nothing") == NULL);
    int ends[2];
    SHOW(pipe(ends));
    SHOW(lseek(ends[0], 0, SEEK_CUR));
    SHOW(write(ends[1], "abc", 3));
    SHOW(read(ends[0], buffer, 100));
}

static int formatted(FILE *file, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int count = vfprintf(file, format, list);
    va_end(list);
    return count;
}

static void streams(void)
{
    char line[80], *long_line = NULL;
    size_t room = 0;
    int a = 0, b = 0;
    double c = 0;
    SHOW(fopen("no/such", "r") == NULL);
    SHOW(fopen("stream", "?") == NULL);
    FILE *file = fopen("stream", "w+");
    SHOW(fprintf(file, "%d %s %.2f %Lg %c %f %f %f %f %f %f %f %f %d %d\n", 1, "two", 3.0, 4.0L, '5', 6.0, 7.0,
                 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14, 15));
    SHOW(formatted(file, "%d %e\n", 16, 17.0));
    SHOW(fputs("18 19 20.5\n", file));
    SHOW(fputc('x', file));
    SHOW(putc('\n', file));
    SHOW(fwrite("abc", 3, 4 / 4, file));
    rewind(file);
    SHOW(fgets(line, sizeof line, file) == line);
    SHOW(getline(&long_line, &room, file));
    SHOW(fscanf(file, "%d %d %lf", &a, &b, &c));
    SHOW(a + b + (int)(2 * c));
    SHOW(fgetc(file));
    SHOW(getc(file));
    SHOW(fseek(file, -2, SEEK_END));
    SHOW(fread(line, 1, sizeof line, file));
    SHOW(fread(line, 1, sizeof line, file));
    SHOW(fgets(line, sizeof line, file) == NULL);
    SHOW(fseeko(file, -1, SEEK_SET));
    SHOW(fflush(file));
    SHOW(freopen("other", "w", file) == file);
    SHOW(fputs("other\n", file));
    SHOW(fclose(file));
    char memory[10];
    FILE *in_memory = fmemopen(memory, sizeof memory, "w");
    SHOW(fputs("in memory, too long", in_memory));
    SHOW(fflush(in_memory));
    SHOW(fclose(in_memory));
    FILE *pipe = popen("echo from a pipe; exit 6", "r");
    SHOW(fgets(line, sizeof line, pipe) == line);
    SHOW(pclose(pipe));
    FILE *full = fopen("/dev/full", "w");
    SHOW(fputs("no room", full));
    SHOW(fclose(full));
    SHOW(printf("%s %.1f %d\n", "standard output", 2.5, 3));
    SHOW(puts("another line"));
    SHOW(putchar('!'));
    SHOW(dprintf(1, "%d%%\n", 5));
    SHOW(fflush(NULL));
    free(long_line);
}

int main(void)
{
    dlopen("/no/such/library", RTLD_NOW);
    fputs("what dlerror says: ", stderr);
    fputs(dlerror(), stderr);
    fputs("\n", stderr);
    SHOW(dlerror() == NULL);
    pointers();
    descriptors();
    streams();
    SHOW(execv("/no/such/program", (char *[]){"x", NULL}));
    return 0;
}
