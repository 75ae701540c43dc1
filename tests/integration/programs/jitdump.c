/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jitdump - spins in code that it replaces again and again at one address, and logs in a jitdump
 *
 * usage: jitdump MODE SECONDS. The code is called jit_even and jit_odd in turn, and while it lies
 * there the thread is called even or odd, so a sample says itself which one it is of. Modes: own;
 * clock (the times are said to be the processor's); pid (it is said to be of another process).
 */

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define ADDRESS    0x123450000ul
#define TURN_NS    20000000u
#define SECOND_NS  1000000000u
#define PAGE_BYTES 4096u
#define MAGIC      0x4a695444u
#define NAME_BYTES 9u /* of jit_even, with its NUL */

/* push rbp; mov rbp, rsp; mov ecx, 1 << 20; until it is 0: sub ecx, 1; pop rbp; ret */
static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0xb9, 0x00, 0x00, 0x10,
			       0x00, 0x83, 0xe9, 0x01, 0x75, 0xfb, 0x5d, 0xc3};

struct header {
	uint32_t magic, version, bytes, machine, pad, pid;
	uint64_t time, flags;
};

struct load {
	uint32_t kind, bytes;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, address, code_bytes, index;
	char name[NAME_BYTES];
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
	return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

/* With the mapping that shows it. */
static int make_dump(const char *mode)
{
	const struct header header = {
		.magic = MAGIC,
		.version = 1,
		.bytes = sizeof(header),
		.machine = EM_X86_64,
		.pid = (uint32_t)getpid() + (strcmp(mode, "pid") == 0),
		.time = now(),
		.flags = strcmp(mode, "clock") == 0,
	};
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0644);
	must(fd >= 0, path);
	must(write(fd, &header, sizeof(header)) == sizeof(header), path);
	must(mmap(NULL, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED,
	     "mmap");
	return fd;
}

static void log_load(int dump, uint64_t index, const char *name)
{
	struct load load = {
		.bytes = sizeof(load),
		.time = now(),
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.vma = ADDRESS,
		.address = ADDRESS,
		.code_bytes = sizeof(code),
		.index = index,
	};

	memcpy(load.code, code, sizeof(code));
	(void)snprintf(load.name, sizeof(load.name), "jit_%s", name);
	must(write(dump, &load, sizeof(load)) == sizeof(load), "write");
}

static void __attribute__((noinline)) spin_until(void (*spin)(void), uint64_t end)
{
	while (now() < end)
		spin();
}

int main(int argc, char **argv)
{
	uint64_t end, index = 0;
	void *memory;
	int dump;

	if (argc != 3)
		return 2;
	end = now() + (uint64_t)(strtod(argv[2], NULL) * SECOND_NS);
	dump = make_dump(argv[1]);
	memory = mmap((void *)ADDRESS, PAGE_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	must(memory != MAP_FAILED, "mmap");
	while (now() < end) {
		const char *name = index % 2 ? "odd" : "even";

		must(mprotect(memory, PAGE_BYTES, PROT_READ | PROT_WRITE) == 0, "mprotect");
		memcpy(memory, code, sizeof(code));
		must(mprotect(memory, PAGE_BYTES, PROT_READ | PROT_EXEC) == 0, "mprotect");
		(void)prctl(PR_SET_NAME, strcmp(argv[1], "own") ? argv[1] : name);
		log_load(dump, index++, name);
		spin_until((void (*)(void))memory, now() + TURN_NS);
	}
	return 0;
}
