/* Runs function entries on the processor, as they are and patched, from equal states, and compares where each leads.
 *
 * Input, on standard input: a header, segments each followed by its bytes, cases. A case says what the bytes of the
 * patch, the island and the stub are. A child is stepped instruction by instruction through both forms of the entry until it is out
 * of them; then registers, vectors, flags, memory and the next instruction must be the same, or the fault that came. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

struct header {
	uint64_t low, high; /* the image */
	uint64_t arenas[2], arena_size;
	uint64_t segments, cases, states;
};

struct segment {
	uint64_t address, size, is_written;
};

struct entry_case {
	uint64_t entry, site, stub, copy, word, island;
	uint64_t length, boundaries, code_length;
	uint8_t patched[8], island_patched[8];
	uint8_t boundary[16]; /* pairs: distance from the site, distance from the copy */
	uint8_t code[112];
};

/* Memory whose content is compared, and what it is before each run. */
struct area {
	uint8_t *bytes, *before, *after;
	size_t size;
};

/* Bytes of all extended registers, those of processors with tiles among them. */
enum { VECTORS = 16 << 10 };

struct outcome {
	struct user_regs_struct registers;
	uint8_t vectors[VECTORS];
	size_t vectors_size;
	int signal;
	uint64_t fault;
	int is_finished;
};

struct range {
	uint64_t start, end;
};

enum { SCRATCH_SIZE = 1 << 16, MOST_AREAS = 16, MOST_STEPS = 400, MOST_SHOWN = 20 };
#define SCRATCH 0x200000000000u
#define TRAP_FLAG 0x100u
#define RESUME_FLAG 0x10000u

static struct header header;
static struct area areas[MOST_AREAS];
static size_t area_count;
static pid_t child;
static uint8_t fresh_vectors[VECTORS];
static size_t fresh_size;
static uint64_t seed = 0x9e3779b97f4a7c15u;
static uint64_t runs, faults, unfinished, inexact, mismatches;

static void fail(const char *what)
{
	fprintf(stderr, "oracle: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void take(void *to, size_t size)
{
	if (size != 0 && fread(to, size, 1, stdin) != 1)
		fail("reading the cases");
}

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static uint8_t *map(uint64_t at, size_t size)
{
	int protection = PROT_READ | PROT_WRITE | PROT_EXEC;
	int flags = MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
	uint8_t *bytes = mmap((void *)at, size, protection, flags, -1, 0);
	if (bytes == MAP_FAILED || (uint64_t)bytes != at)
		fail("mapping a part of the image");
	return bytes;
}

static void watch(uint8_t *bytes, size_t size)
{
	if (area_count == MOST_AREAS)
		fail("more written segments than there is room for");
	struct area *area = &areas[area_count++];
	*area = (struct area){ bytes, malloc(size), malloc(size), size };
	if (!area->before || !area->after)
		fail("keeping a copy of memory");
	memcpy(area->before, bytes, size);
}

static void load_image(void)
{
	take(&header, sizeof header);
	map(header.low, header.high - header.low);
	map(header.arenas[0], header.arena_size);
	map(header.arenas[1], header.arena_size);
	for (uint64_t i = 0; i < header.segments; i++) {
		struct segment segment;
		take(&segment, sizeof segment);
		take((void *)segment.address, segment.size);
		if (segment.is_written)
			watch((uint8_t *)segment.address, segment.size);
	}
	uint64_t *scratch = (uint64_t *)map(SCRATCH, SCRATCH_SIZE);
	for (size_t i = 0; i < SCRATCH_SIZE / sizeof *scratch; i++)
		scratch[i] = next_random() >> (next_random() % 64);
	watch((uint8_t *)scratch, SCRATCH_SIZE);
}

static void start_child(void)
{
	child = fork();
	if (child < 0)
		fail("starting the process that is stepped");
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	int status;
	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		fail("stopping the process that is stepped");
	ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_EXITKILL);
	struct iovec vectors = { fresh_vectors, sizeof fresh_vectors };
	if (ptrace(PTRACE_GETREGSET, child, NT_X86_XSTATE, &vectors) != 0)
		fail("reading vector registers");
	fresh_size = vectors.iov_len;
}

/* A pointer into the middle of the scratch memory, a small number, or anything. */
static uint64_t any_value(uint64_t kind)
{
	switch (kind % 4) {
	case 0:
	case 1:
		return SCRATCH + SCRATCH_SIZE / 4 + next_random() % (SCRATCH_SIZE / 2) / 16 * 16;
	case 2:
		return next_random() % 24;
	default:
		return next_random() >> (next_random() % 64);
	}
}

static void any_state(struct user_regs_struct *to, uint8_t *vectors, uint64_t state)
{
	unsigned long long *registers[] = { &to->rax, &to->rbx, &to->rcx, &to->rdx, &to->rsi,
		&to->rdi, &to->rbp, &to->r8, &to->r9, &to->r10, &to->r11, &to->r12, &to->r13,
		&to->r14, &to->r15 };
	for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
		*registers[i] = any_value(state == 0 ? 0 : state == 1 ? 2 : next_random());
	to->rsp = SCRATCH + SCRATCH_SIZE / 2 + 8;
	to->fs_base = SCRATCH + SCRATCH_SIZE / 2 + 4096;
	to->gs_base = SCRATCH + SCRATCH_SIZE / 2 + 8192;
	to->eflags = 0x202 | (next_random() & 0x8d5);
	to->orig_rax = (uint64_t)-1;
	memcpy(vectors, fresh_vectors, fresh_size);
	vectors[512] |= 7;
	for (size_t at = 160; at < 416; at++)
		vectors[at] = (uint8_t)next_random();
	for (size_t at = 576; at < 832 && at < fresh_size; at++)
		vectors[at] = (uint8_t)next_random();
}

static void restore_memory(void)
{
	for (size_t i = 0; i < area_count; i++)
		if (memcmp(areas[i].bytes, areas[i].before, areas[i].size) != 0)
			memcpy(areas[i].bytes, areas[i].before, areas[i].size);
}

static int is_in(uint64_t address, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (address >= ranges[i].start && address < ranges[i].end)
			return 1;
	return 0;
}

/* One instruction. Says whether it was carried out. */
static int step(struct outcome *to)
{
	int status;
	if (ptrace(PTRACE_SINGLESTEP, child, 0, 0) != 0 || waitpid(child, &status, 0) != child)
		fail("stepping");
	if (!WIFSTOPPED(status))
		fail("the process that is stepped has ended");
	if (ptrace(PTRACE_GETREGS, child, 0, &to->registers) != 0)
		fail("reading registers");
	if (WSTOPSIG(status) == SIGTRAP)
		return 1;
	siginfo_t about;
	if (ptrace(PTRACE_GETSIGINFO, child, 0, &about) != 0)
		fail("reading a fault");
	to->signal = WSTOPSIG(status);
	/* For the others it is the address of the instruction, which is compared on its own. */
	if (to->signal == SIGSEGV || to->signal == SIGBUS)
		to->fault = (uint64_t)about.si_addr;
	return 0;
}

static void run(struct user_regs_struct *from, uint8_t *vectors, const struct range *ranges,
                size_t count, struct outcome *to)
{
	struct iovec set = { vectors, fresh_size };
	if (ptrace(PTRACE_SETREGS, child, 0, from) != 0)
		fail("setting registers");
	if (ptrace(PTRACE_SETREGSET, child, NT_X86_XSTATE, &set) != 0)
		fail("setting vector registers");
	memset(to, 0, sizeof *to);
	for (int steps = 0; steps < MOST_STEPS && !to->is_finished; steps++)
		to->is_finished = !step(to) || !is_in(to->registers.rip, ranges, count);
	struct iovec got = { to->vectors, sizeof to->vectors };
	if (ptrace(PTRACE_GETREGSET, child, NT_X86_XSTATE, &got) != 0)
		fail("reading vector registers");
	to->vectors_size = got.iov_len;
	runs++;
}

/* The original address that stands for one in the copy; 0 for none. */
static uint64_t original(const struct entry_case *one, uint64_t rip)
{
	if (rip == one->copy)
		return one->site;
	for (uint64_t i = 0; i < one->boundaries; i++)
		if (rip == one->copy + one->boundary[2 * i + 1])
			return one->site + one->boundary[2 * i];
	return 0;
}

/* Registers but for the instruction pointer, flags but for those that stepping uses. */
static const char *registers_differ(struct user_regs_struct a, struct user_regs_struct b)
{
	a.rip = b.rip = 0;
	a.orig_rax = b.orig_rax = 0;
	a.eflags &= ~(unsigned long long)(TRAP_FLAG | RESUME_FLAG);
	b.eflags &= ~(unsigned long long)(TRAP_FLAG | RESUME_FLAG);
	if (a.eflags != b.eflags)
		return "flags";
	return memcmp(&a, &b, sizeof a) != 0 ? "registers" : NULL;
}

/* x87 words, mxcsr and all vectors, but for the pointers to the last x87 instruction. */
static int vectors_differ(const struct outcome *a, const struct outcome *b)
{
	return memcmp(a->vectors, b->vectors, 6) != 0 || memcmp(a->vectors + 24, b->vectors + 24, 392) != 0 ||
	       (fresh_size >= 832 && memcmp(a->vectors + 576, b->vectors + 576, 256) != 0);
}

static const char *differ(const struct entry_case *one, struct outcome *a, struct outcome *b)
{
	if (a->signal != b->signal || a->fault != b->fault)
		return "the fault";
	if (a->signal != 0) {
		faults++;
		uint64_t rip = b->registers.rip;
		/* A moved call has pushed its return address when it reads where to go. */
		if (original(one, rip) == 0 && rip > one->copy && rip < one->stub + one->code_length) {
			inexact++;
			return NULL;
		}
		if (original(one, rip) != a->registers.rip)
			return "the place of the fault";
	} else if (a->registers.rip != b->registers.rip) {
		return "where it leads";
	}
	const char *what = registers_differ(a->registers, b->registers);
	if (what == NULL && vectors_differ(a, b))
		what = "vectors";
	for (size_t i = 0; i < area_count && what == NULL; i++)
		if (memcmp(areas[i].bytes, areas[i].after, areas[i].size) != 0)
			what = "memory";
	return what;
}

static void report(const struct entry_case *one, uint64_t state, const char *what,
                   const struct outcome *a, const struct outcome *b)
{
	if (mismatches++ < MOST_SHOWN)
		printf("mismatch: entry %#llx, state %llu: %s (next %#llx and %#llx, signals %d and %d)\n",
		       (unsigned long long)one->entry, (unsigned long long)state, what,
		       a->registers.rip, b->registers.rip, a->signal, b->signal);
}

static void place(const struct entry_case *one, uint8_t *kept)
{
	memcpy(kept, (void *)one->site, 8);
	memcpy((void *)one->stub, one->code, one->code_length);
	memcpy((void *)one->word, &one->copy, 8);
	memcpy((void *)one->site, one->patched, one->length);
	if (one->island != 0) {
		memcpy(kept + 8, (void *)one->island, 5);
		memcpy((void *)one->island, one->island_patched, 5);
	}
}

static void take_back(const struct entry_case *one, const uint8_t *kept)
{
	memcpy((void *)one->site, kept, one->length);
	if (one->island != 0)
		memcpy((void *)one->island, kept + 8, 5);
}

/* Where the instructions begin that are displaced, and the entry. */
static size_t starts(const struct entry_case *one, struct range *to)
{
	size_t count = 0;
	to[count++] = (struct range){ one->entry, one->entry + 1 };
	to[count++] = (struct range){ one->site, one->site + 1 };
	for (uint64_t i = 0; i < one->boundaries; i++) {
		uint64_t start = one->site + one->boundary[2 * i];
		to[count++] = (struct range){ start, start + 1 };
	}
	return count;
}

static void compare(const struct entry_case *one, uint64_t state)
{
	struct range bare[2 + sizeof one->boundary / 2];
	size_t bare_count = starts(one, bare);
	struct range patched[] = { { one->entry, one->site + one->length },
		{ one->stub, one->stub + one->code_length }, { one->island, one->island + 5 } };
	static struct outcome a, b;
	static uint8_t vectors[VECTORS];
	struct user_regs_struct from;
	uint8_t kept[16];
	if (ptrace(PTRACE_GETREGS, child, 0, &from) != 0)
		fail("reading registers");
	any_state(&from, vectors, state);
	from.rip = one->entry;
	restore_memory();
	run(&from, vectors, bare, bare_count, &a);
	for (size_t i = 0; i < area_count; i++)
		memcpy(areas[i].after, areas[i].bytes, areas[i].size);
	restore_memory();
	place(one, kept);
	run(&from, vectors, patched, one->island != 0 ? 3 : 2, &b);
	take_back(one, kept);
	if (!a.is_finished && !b.is_finished) {
		unfinished++;
		return;
	}
	const char *what = a.is_finished == b.is_finished ? differ(one, &a, &b) : "the end";
	if (what != NULL)
		report(one, state, what, &a, &b);
}

int main(void)
{
	load_image();
	start_child();
	for (uint64_t i = 0; i < header.cases; i++) {
		struct entry_case one;
		take(&one, sizeof one);
		for (uint64_t state = 0; state < header.states; state++)
			compare(&one, state);
	}
	kill(child, SIGKILL);
	printf("cases %llu runs %llu faults %llu unfinished %llu inexact %llu mismatches %llu\n",
	       (unsigned long long)header.cases, (unsigned long long)runs, (unsigned long long)faults,
	       (unsigned long long)unfinished, (unsigned long long)inexact, (unsigned long long)mismatches);
	return mismatches != 0;
}
