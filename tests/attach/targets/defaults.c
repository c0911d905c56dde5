/* Runs a command for which every signal does what the system does by itself, also those of the C library. */
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    unsigned long action[4] = {0};
    for (int number = 1; number <= 64; number++)
        syscall(SYS_rt_sigaction, number, action, NULL, 8UL);
    if (argc > 1)
        execvp(argv[1], argv + 1);
    perror("defaults");
    return 127;
}
