/* A program whose library has functions named like the C library's, that mean something else. */
#include "clash.h"

int printf(const char *format, ...);
int puts(const char *text);
int vfork(void);
int waitpid(int pid, int *status, int options);
void _exit(int status);

int main(void) {
    for (int round = 0; round < 3; round++) {
        show("program");
        elsewhere();
    }
    int child = vfork(), status;
    if (child == 0)
        _exit(splice(1, 0, 1, 0, 1, 1, 1, 1, 1) == 39 ? 3 : 4);
    waitpid(child, &status, 0);
    printf("%d\n", status >> 8);
    return puts("done") < 0;
}
