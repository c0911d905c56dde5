/* A static binary, into which nothing can be preloaded.
 *
 * build: cc -g -O2 -fno-optimize-sibling-calls -static static_hello.c -o static_hello
 * run: static_hello
 * expect: its line, exit status 5, and a message that static binaries cannot be measured
 */
#include <stdio.h>

int main(void)
{
    printf("static_hello: hello\n");
    return 5;
}
