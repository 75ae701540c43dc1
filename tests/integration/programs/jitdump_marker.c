/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jitdump_marker - spins in code that it makes itself, and shows its jitdump as JIT compilers do
 *
 * usage: jitdump_marker MAPPINGS SECONDS (of CPU time). It writes jit-PID.dump in the current
 * folder, which goes on growing, and maps a page of it executable: behind MAPPINGS other mappings,
 * but below its code.
 */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define AREA    0x200000000ul /* the other mappings; the kernel puts nothing there by itself */
#define MARKER  0x300000000ul
#define CODE    0x400000000ul
#define PAGE    4096ul
#define X86_64  62u
#define RECORDS 50 /* at most, one in SPINS */
#define SPINS   32u

/* push rbp; mov rbp, rsp; mov ecx, 1 << 20; until it is 0: sub ecx, 1; pop rbp; ret */
static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0xb9, 0x00, 0x00, 0x10,
			       0x00, 0x83, 0xe9, 0x01, 0x75, 0xfb, 0x5d, 0xc3};

struct head {
	uint32_t magic, version, bytes, machine, pad, pid;
	uint64_t time, flags;
};

struct load { /* of the code above, under the name `made` */
	uint32_t kind, bytes;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t place, address, code_bytes, index;
	char name[5];
	uint8_t code[sizeof(code)];
} __attribute__((packed));

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	_exit(1);
}

static uint64_t now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int make_dump(void)
{
	struct head head = {0x4a695444, 1, sizeof(head), X86_64, 0, (uint32_t)getpid(), now(), 0};
	char name[32];
	int fd;

	(void)snprintf(name, sizeof(name), "jit-%d.dump", getpid());
	fd = open(name, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0644);
	must(fd >= 0 && write(fd, &head, sizeof(head)) == sizeof(head), name);
	return fd;
}

static void append(int fd, uint64_t index)
{
	struct load load = {
		.bytes = sizeof(load),
		.time = now(),
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.place = CODE,
		.address = CODE,
		.code_bytes = sizeof(code),
		.index = index,
		.name = "made",
	};

	memcpy(load.code, code, sizeof(code));
	must(write(fd, &load, sizeof(load)) == sizeof(load), "write");
}

static void *map(unsigned long address, int protection, int flags, int fd)
{
	void *memory = mmap((void *)address, PAGE, protection,
			    MAP_PRIVATE | MAP_FIXED_NOREPLACE | flags, fd, 0);

	must(memory != MAP_FAILED, "mmap");
	return memory;
}

int main(int argc, char **argv)
{
	uint64_t count, records = 0;
	clock_t end;
	void *memory;
	int fd;

	if (argc != 3)
		return 2;
	end = clock() + (clock_t)(strtod(argv[2], NULL) * CLOCKS_PER_SEC);
	count = strtoul(argv[1], NULL, 10);
	for (uint64_t i = 0; i < count; i++) /* every other page: each stays a mapping of its own */
		(void)map(AREA + 2 * PAGE * i, PROT_READ | PROT_EXEC, MAP_ANONYMOUS, -1);
	fd = make_dump();
	(void)map(MARKER, PROT_READ | PROT_EXEC, 0, fd);
	memory = map(CODE, PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1);
	memcpy(memory, code, sizeof(code));
	must(mprotect(memory, PAGE, PROT_READ | PROT_EXEC) == 0, "mprotect");
	for (unsigned spins = 0; clock() < end; spins++) {
		if (spins % SPINS == 0 && records < RECORDS)
			append(fd, records++);
		((void (*)(void))memory)();
	}
	return 0;
}
