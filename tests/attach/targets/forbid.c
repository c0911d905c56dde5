/* Runs a command that may not trace others (`tracing`), as filters of containers have it, or may neither trace others nor read or
 * write their memory (`memory`), as the kernel has it where one has no right to trace. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL(number, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, then, otherwise)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))

int main(int argc, char **argv)
{
    /* A place beyond 4 GiB is one in memory, not in a file. */
    struct sock_filter rules[] = {
        LOAD(nr),
        CALL(__NR_ptrace, 7, 0),
        /* What follows is left out by `tracing`. */
        CALL(__NR_process_vm_readv, 6, 0),
        CALL(__NR_process_vm_writev, 5, 0),
        CALL(__NR_pread64, 2, 0),
        CALL(__NR_pwrite64, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3]) + 4),
        CALL(0, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
    if (argc > 2 && !strcmp(argv[1], "tracing"))
        rules[2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
        perror("forbid");
        return 126;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 127;
}
