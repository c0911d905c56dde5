/* Programs that do a fixed amount of work, for the benchmark of what whyperf costs: the first argument says which, the second how much. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 2 };

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long steps;
static volatile double sum;
static volatile unsigned long kept;

/* A hundred nanoseconds or so. */
__attribute__((noinline)) double warm(double x)
{
	for (int i = 0; i < 30; i++)
		x = x * 0.999 + 1e-3;
	return x;
}

/* About one nanosecond. */
__attribute__((noinline)) unsigned long leaf(unsigned long x)
{
	return x * 2862933555777941757ul + 3037000493ul;
}

/* About a millisecond. */
__attribute__((noinline)) static double block(double x)
{
	for (int i = 0; i < 400000; i++)
		x = x * 0.999 + 1e-3;
	return x;
}

static void *compute(void *arg)
{
	double x = 1.0;
	for (long i = 0; i < steps; i++)
		x = block(x);
	sum = x;
	return arg;
}

static void *meet(void *arg)
{
	double x = 1.0;
	for (long i = 0; i < steps; i++) {
		x = block(x);
		pthread_barrier_wait(&barrier);
	}
	sum = x;
	return arg;
}

static void *queue(void *arg)
{
	double x = 1.0;
	for (long i = 0; i < steps * 1000; i++) {
		pthread_mutex_lock(&lock);
		x = warm(x);
		pthread_mutex_unlock(&lock);
		for (int j = 0; j < 4; j++)
			x = warm(x);
	}
	sum = x;
	return arg;
}

static void in_threads(void *(*work)(void *))
{
	pthread_t threads[THREADS];
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			exit(3);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void write_pieces(void)
{
	char piece[64];
	memset(piece, 'x', sizeof piece);
	int file = open("/dev/null", O_WRONLY);
	if (file < 0)
		exit(3);
	for (long i = 0; i < steps * 2000; i++)
		if (write(file, piece, sizeof piece) < 0)
			exit(3);
	close(file);
}

int main(int count, char **words)
{
	if (count < 3)
		return 2;
	steps = atol(words[2]);
	double x = 1.0;
	unsigned long y = 1;
	if (!strcmp(words[1], "computing"))
		compute(NULL);
	else if (!strcmp(words[1], "threads"))
		in_threads(compute);
	else if (!strcmp(words[1], "barriers"))
		in_threads(meet);
	else if (!strcmp(words[1], "locks"))
		in_threads(queue);
	else if (!strcmp(words[1], "writes"))
		write_pieces();
	else if (!strcmp(words[1], "leaf"))
		for (long i = 0; i < steps * 1000000; i++)
			y = leaf(y);
	else if (!strcmp(words[1], "warm"))
		for (long i = 0; i < steps * 10000; i++)
			x = warm(x);
	else
		return 2;
	sum = x;
	kept = y;
	return 0;
}
