/* Says that it runs and waits until standard input ends, after it gave up system calls (`sandboxed`) or let its
 * parent trace it (`traced`). */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

int main(int argc, char **argv)
{
    struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {1, &all};
    const char *kind = argc > 1 ? argv[1] : "";
    if (!strcmp(kind, "sandboxed"))
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
            return 1;
    if (!strcmp(kind, "traced") && ptrace(PTRACE_TRACEME, 0, 0, 0))
        return 1;
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    puts("done");
    return 0;
}
