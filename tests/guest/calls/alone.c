/* Calls that care how many threads the process has, or that change the calling thread alone; the case is the argument. */
#define _GNU_SOURCE
#include "whyperf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static whyperf_region work = WHYPERF_REGION("work");

#define SAY(call) (errno = 0, printf("%s: %ld", #call, (long)(call)), printf(", errno %d\n", errno), fflush(stdout))

/* What the threads of the process may do: one line for each difference between them. */
static void privileges(void) {
    char known[16][512] = {{0}};
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        char path[300], line[256], all[512] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
        FILE *status = task->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (!status)
            continue;
        while (fgets(line, sizeof line, status))
            if (!strncmp(line, "Uid:", 4) || !strncmp(line, "Gid:", 4) || !strncmp(line, "Groups:", 7) ||
                !strncmp(line, "CapEff:", 7) || !strncmp(line, "CapBnd:", 7))
                strncat(all, line, sizeof all - strlen(all) - 1);
        fclose(status);
        int at = 0;
        while (at < count && strcmp(known[at], all))
            at++;
        if (at == count && count < 16)
            strcpy(known[count++], all);
    }
    closedir(tasks);
    for (int at = 0; at < count; at++)
        printf("%s--\n", known[at]);
    fflush(stdout);
}

static int entries(const char *path) {
    int count = 0;
    DIR *folder = opendir(path);
    while (folder && readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static int mappings(void) {
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    for (int c; (c = fgetc(maps)) != EOF;)
        count += c == '\n';
    fclose(maps);
    return count;
}

static void namespaces(void) {
    SAY(unshare(CLONE_NEWUSER));
    SAY(unshare(CLONE_NEWNS));
    int own = open("/proc/self/ns/user", O_RDONLY);
    SAY(setns(own, CLONE_NEWUSER));
    close(own);
    SAY(unshare(CLONE_NEWPID));
    pid_t child = fork();
    if (child == 0)
        _exit(getpid());
    int status;
    waitpid(child, &status, 0);
    printf("the child is number %d\n", WEXITSTATUS(status));
}

static void raw_namespaces(void) {
    SAY(syscall(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNS));
    SAY(syscall(SYS_unshare, -1));
    SAY(syscall(SYS_write, STDOUT_FILENO, "written\n", 8));
    SAY(syscall(-1));
    SAY(syscall(SYS_futex, 0, 1, 2, 3, 4, 5));
}

static void users(void) {
    gid_t groups[] = {7, 8};
    SAY(setgroups(2, groups));
    SAY(setegid(5));
    SAY(setfsuid(3));
    privileges();
    SAY(setfsuid(0));
    SAY(setresgid(4, 4, 4));
    SAY(seteuid(6));
    privileges();
    SAY(seteuid(0));
    SAY(prctl(PR_CAPBSET_DROP, CAP_SYS_BOOT, 0, 0, 0));
    privileges();
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{0}};
    data[0].effective = data[0].permitted = 1 << CAP_SETUID;
    extern int capset(cap_user_header_t, const cap_user_data_t);
    SAY(capset(&head, data));
    privileges();
    SAY(setresuid(9, 9, 9));
    privileges();
    SAY(setuid(0));
}

static void raw_users(void) {
    SAY(syscall(SYS_setgroups, 0, NULL));
    SAY(syscall(SYS_setresgid, 4, 5, 6));
    privileges();
    SAY(syscall(SYS_setresuid, 7, 8, 9));
    privileges();
    SAY(syscall(SYS_setuid, 0));
}

static void children(void) {
    pid_t child = vfork();
    if (child == 0) {
        if (setuid(1) || unshare(CLONE_FS) || syscall(SYS_setuid, 1))
            _exit(1);
        execl("/bin/sh", "sh", "-c", "id -u; exit 3", NULL);
        _exit(2);
    }
    int status;
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    privileges();
    SAY(unshare(CLONE_NEWUSER));
}

static void again(void) {
    int before = mappings(), open_before = entries("/proc/self/fd");
    for (int round = 0; round < 1000; round++)
        if (unshare(CLONE_FS))
            printf("round %d: errno %d\n", round, errno);
    printf("%d mappings and %d descriptors more\n", mappings() - before, entries("/proc/self/fd") - open_before);
}

static void *change(void *unused) {
    for (int round = 0; round < 100; round++) {
        whyperf_begin(&work);
        setfsuid(0);
        whyperf_end(&work);
        if (unshare(CLONE_FS))
            printf("errno %d\n", errno);
    }
    return NULL;
}

static void together(void) {
    pthread_t threads[8];
    for (int round = 0; round < 4; round++) {
        for (int at = 0; at < 8; at++)
            pthread_create(&threads[at], NULL, change, NULL);
        for (int at = 0; at < 8; at++)
            pthread_join(threads[at], NULL);
    }
    printf("joined\n");
}

static void *last(void *unused) {
    char path[64], text[256] = "", *state;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", getpid());
    do {
        int file = open(path, O_RDONLY);
        text[read(file, text, sizeof text - 1)] = 0;
        close(file);
        state = strrchr(text, ')') + 2;
        sched_yield();
    } while (*state != 'Z');
    printf("the last one\n");
    fflush(stdout);
    return NULL;
}

static void bare_exit(long status) {
    __asm__ volatile("syscall" : : "a"((long)SYS_exit), "D"(status) : "rcx", "r11", "memory");
}

int main(int count, char **words) {
    const char *which = count > 1 ? words[1] : "";
    whyperf_begin(&work);
    whyperf_end(&work);
    pthread_t other;
    if (!strcmp(which, "namespaces")) namespaces();
    else if (!strcmp(which, "raw-namespaces")) raw_namespaces();
    else if (!strcmp(which, "users")) users();
    else if (!strcmp(which, "raw-users")) raw_users();
    else if (!strcmp(which, "children")) children();
    else if (!strcmp(which, "again")) again();
    else if (!strcmp(which, "together")) together();
    else if (!strcmp(which, "raw-end")) syscall(SYS_exit, 7);
    else if (!strcmp(which, "bare-end")) bare_exit(7);
    else if (!strcmp(which, "thread-end")) pthread_exit(NULL);
    else if (!strcmp(which, "other-end")) {
        pthread_create(&other, NULL, last, NULL);
        pthread_exit(NULL);
    } else return 99;
    whyperf_begin(&work);
    whyperf_end(&work);
    return 5;
}
