/* SPDX-License-Identifier: Apache-2.0 */
/* wait_io - threads that wait for a disk, for io_uring, and for a child of vfork() */

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "wait_states.h"

#define BLOCK  4096u
#define BLOCKS 4096u

/* Return: ns in the calls. */
static noinline uint64_t read_disk(long fd, char *block, unsigned count)
{
	uint64_t calls = 0;
	uint32_t place = 1;

	for (unsigned i = 0; i < count; i++) {
		uint64_t begin = wait_clock();

		place = place * 1664525u + 1013904223u;
		(void)wait_must(wait_call(SYS_pread64, fd, (long)block, BLOCK,
					  (long)(place >> 8) % BLOCKS * BLOCK),
				"reading the disk");
		calls += wait_clock() - begin;
	}
	return calls;
}

/* @count reads past the page cache, of a file of the working folder that is removed at once. */
int wait_on_disk(unsigned count, uint64_t ns)
{
	char *block = aligned_alloc(BLOCK, BLOCK);
	struct wait_sum sum = {};
	struct wait_time begin;
	long fd = open("wait_states.disk", O_RDWR | O_CREAT | O_DIRECT | O_EXCL | O_CLOEXEC, 0600);

	(void)ns;
	(void)wait_must(fd < 0 ? -errno : fd, "a file for O_DIRECT");
	(void)unlink("wait_states.disk");
	if (!block)
		return 1;
	for (unsigned i = 0; i < BLOCK; i++)
		block[i] = (char)i;
	for (unsigned i = 0; i < BLOCKS; i++)
		if (pwrite((int)fd, block, BLOCK, (off_t)i * BLOCK) != BLOCK)
			return 1;
	(void)wait_must(fsync((int)fd), "fsync");
	begin = wait_now();
	sum.calls = read_disk(fd, block, count);
	wait_add(&sum, &begin, count);
	wait_print("read_disk", "io_wait", &sum);
	(void)close((int)fd);
	free(block);
	return 0;
}

struct ring {
	long fd;
	struct io_uring_params params;
	char *queue; /* both queues: IORING_FEAT_SINGLE_MMAP, Linux 5.4 */
	struct io_uring_sqe *entries;
};

static uint32_t *ring_word(const struct ring *ring, uint32_t offset)
{
	return (uint32_t *)(void *)(ring->queue + offset);
}

static void open_ring(struct ring *ring)
{
	size_t bytes;
	void *mapped;

	ring->fd = wait_must(wait_call(SYS_io_uring_setup, 1, (long)&ring->params, 0, 0),
			     "io_uring_setup");
	bytes = ring->params.cq_off.cqes + ring->params.cq_entries * sizeof(struct io_uring_cqe) +
		BLOCK;
	mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)ring->fd,
		      IORING_OFF_SQ_RING);
	(void)wait_must(mapped == MAP_FAILED ? -errno : 0, "mapping a ring");
	ring->queue = mapped;
	mapped = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, (int)ring->fd,
		      IORING_OFF_SQES);
	(void)wait_must(mapped == MAP_FAILED ? -errno : 0, "mapping a ring");
	ring->entries = mapped;
}

/* Return: ns in the calls. */
static noinline uint64_t wait_for_ring(const struct ring *ring, unsigned count, uint64_t ns)
{
	uint64_t calls = 0;
	struct __kernel_timespec length = {.tv_nsec = (long long)ns};
	uint32_t *tail = ring_word(ring, ring->params.sq_off.tail);
	uint32_t *done = ring_word(ring, ring->params.cq_off.head);

	for (unsigned i = 0; i < count; i++) {
		uint64_t begin;

		ring->entries[0] = (struct io_uring_sqe){
			.opcode = IORING_OP_TIMEOUT,
			.addr = (uintptr_t)&length,
			.len = 1,
		};
		ring_word(ring, ring->params.sq_off.array)[0] = 0;
		__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
		begin = wait_clock();
		(void)wait_must(
			wait_call(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS),
			"io_uring_enter");
		calls += wait_clock() - begin;
		__atomic_store_n(done, *done + 1, __ATOMIC_RELEASE);
	}
	return calls;
}

/*
 * A ring of timeouts, so that each call waits. Whether that is a wait for I/O is the kernel's
 * choice.
 */
int wait_on_io_uring(unsigned count, uint64_t ns)
{
	struct wait_sum sum = {};
	struct wait_time begin;
	struct ring ring = {};

	open_ring(&ring);
	begin = wait_now();
	sum.calls = wait_for_ring(&ring, count, ns);
	wait_add(&sum, &begin, count);
	sum.asleep = count * ns;
	wait_print("wait_for_ring", "interruptible|io_wait", &sum);
	return 0;
}

static noinline __attribute__((used)) void vfork_child(const struct timespec *length)
{
	(void)wait_call(SYS_nanosleep, (long)length, 0, 0, 0);
	(void)wait_call(SYS_exit, 0, 0, 0, 0);
}

/* As vfork() does, but the child goes on in another function, on a stack of its own. */
static noinline long wait_for_vfork(const char *stack, const struct timespec *length)
{
	long child = SYS_clone;

	__asm__ __volatile__("xor %%edx, %%edx\n\t"
			     "syscall\n\t"
			     "test %%rax, %%rax\n\t"
			     "jnz 1f\n\t"
			     "mov %%rbx, %%rdi\n\t"
			     "push %%rax\n\t"
			     "jmp %P[child]\n\t"
			     "1:"
			     : "+a"(child)
			     : "D"((long)(CLONE_VM | CLONE_VFORK | SIGCHLD)), "S"(stack),
			       "b"(length), [child] "i"(vfork_child)
			     : "rcx", "rdx", "r11", "memory");
	return child;
}

/* @count children that sleep for @ns. */
int wait_on_vfork(unsigned count, uint64_t ns)
{
	const struct timespec length = {.tv_nsec = (long)ns};
	char *stack = aligned_alloc(BLOCK, BLOCK);
	struct wait_sum sum = {};

	if (!stack)
		return 1;
	for (unsigned i = 0; i < count; i++) {
		struct wait_time begin = wait_now();
		long child = wait_must(wait_for_vfork(stack + BLOCK, &length), "vfork");

		sum.calls += wait_clock() - begin.clock;
		wait_add(&sum, &begin, 1);
		(void)wait_call(SYS_wait4, child, 0, 0, 0);
	}
	sum.asleep = count * ns;
	wait_print("wait_for_vfork", "uninterruptible", &sum);
	free(stack);
	return 0;
}
