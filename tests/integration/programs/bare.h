/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * bare - a program without libc whose chain of frame pointers reaches its first instruction
 *
 * Why        Debian's libc has no frame pointers, so a stack that a test wants whole from _start
 *            (or the thread's start) to the leaf must not pass through it.
 * Use        include it in one .c file, define bare_run(); build with -nostdlib -static
 *            -fno-omit-frame-pointer -fno-optimize-sibling-calls.
 * Hosted     with BARE_HOSTED libc starts the same program; its threads are still its own.
 *            With BARE_FRAMELESS it may be built without frame pointers.
 */

#include <linux/sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#include "noinline.h"
#include "spin.h"

#define bare_noinline    noinline

#define BARE_STACK_BYTES (256u << 10)
#define BARE_THREADS_MAX 8192 /* one for each CPU of the largest hosts */

/*
 * Stands first in a leaf function: whatever its options, gcc leaves out the frame of a function
 * that needs no stack.
 */
#ifdef BARE_FRAMELESS
#define bare_frame() ((void)0)
#else
#define bare_frame() __asm__ __volatile__("" : : "r"(__builtin_frame_address(0)))
#endif

int bare_run(int argc, char **argv);

static inline long bare_call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ __volatile__("syscall"
			     : "=a"(result)
			     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			     : "rcx", "r11", "memory");
	return result;
}

static inline long bare_map(size_t bytes, long prot, long flags)
{
	register long r10 __asm__("r10") = flags;
	register long r8 __asm__("r8") = -1;
	register long r9 __asm__("r9") = 0;
	long result;

	__asm__ __volatile__("syscall"
			     : "=a"(result)
			     : "a"((long)SYS_mmap), "D"(0L), "S"(bytes), "d"(prot), "r"(r10),
			       "r"(r8), "r"(r9)
			     : "rcx", "r11", "memory");
	return result;
}

/* Both entries clear rbp: that is where a chain of frame pointers ends. */
#ifdef BARE_HOSTED
int main(int argc, char **argv)
{
	return bare_run(argc, argv);
}
#else
/* Compilers call it to zero an array, also in a program without libc. */
void *memset(void *to, int byte, size_t bytes);
void *memset(void *to, int byte, size_t bytes)
{
	void *at = to;

	__asm__ __volatile__("rep stosb" : "+D"(at), "+c"(bytes) : "a"(byte) : "memory");
	return to;
}

__asm__(".text\n"
	".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	xorl %ebp, %ebp\n"
	"	movq %rsp, %rdi\n"
	"	andq $-16, %rsp\n"
	"	call bare_entry\n"
	"	hlt\n"
	".size _start, . - _start\n");
#endif
__asm__(".text\n"
	".globl thread_start\n"
	".type thread_start, @function\n"
	"thread_start:\n"
	"	xorl %ebp, %ebp\n"
	"	popq %rax\n"
	"	popq %rdi\n"
	"	call *%rax\n"
	"	movl $60, %eax\n" /* exit */
	"	xorl %edi, %edi\n"
	"	syscall\n"
	"	hlt\n"
	".size thread_start, . - thread_start\n"
	".globl bare_clone\n"
	".type bare_clone, @function\n"
	"bare_clone:\n" /* (flags, stack, parent_tid, child_tid) */
	"	movq %rcx, %r10\n"
	"	movl $56, %eax\n" /* clone */
	"	syscall\n"
	"	testq %rax, %rax\n"
	"	jz thread_start\n"
	"	ret\n"
	".size bare_clone, . - bare_clone\n");
long bare_clone(unsigned long flags, void *stack, int *parent_tid, int *child_tid);
#ifndef BARE_HOSTED
void bare_entry(long *stack);
#endif

static int
	bare_threads[BARE_THREADS_MAX]; /* ids; cleared and woken by the kernel when one is gone */

/* Maps a stack. Return: where its topmost two words are. */
static inline uint64_t *bare_stack_top(void)
{
	const long prot = 3 /* READ | WRITE */, flags = 0x22 /* PRIVATE | ANONYMOUS */;
	long stack = bare_map(BARE_STACK_BYTES, prot, flags);

	if (stack < 0 && stack > -4096)
		bare_call(SYS_exit_group, 3, 0, 0, 0);
	return (uint64_t *)(uintptr_t)(unsigned long)stack + BARE_STACK_BYTES / 8 - 2;
}

static inline void bare_thread_begin(unsigned at, void (*run)(long), long argument)
{
	uint64_t *top = bare_stack_top();

	top[0] = (uint64_t)(uintptr_t)run;
	top[1] = (uint64_t)argument;
	bare_clone(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			   CLONE_SYSVSEM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
		   top, &bare_threads[at], &bare_threads[at]);
}

static inline void bare_thread_join(unsigned at)
{
	int tid;

	while ((tid = __atomic_load_n(&bare_threads[at], __ATOMIC_ACQUIRE)) != 0)
		bare_call(SYS_futex, (long)(uintptr_t)&bare_threads[at], /* WAIT */ 0, tid, 0);
}

static inline uint64_t bare_clock_ns(long clock)
{
	struct timespec now = {0};

	bare_call(SYS_clock_gettime, clock, (long)(uintptr_t)&now, 0, 0);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline unsigned bare_number(const char *text)
{
	unsigned value = 0;

	while (*text >= '0' && *text <= '9')
		value = value * 10 + (unsigned)(*text++ - '0');
	return value;
}

/* Spins until @clock has advanced by @ns. It is inlined: its caller is the function sampled. */
static inline __attribute__((always_inline)) void bare_spin_ns(long clock, uint64_t ns)
{
	uint64_t begin = bare_clock_ns(clock), x = spin_result;

	bare_frame();
	while (bare_clock_ns(clock) - begin < ns)
		SPIN_CHAIN(x, 20000);
	spin_result = x;
}

static inline void bare_say(const char *text)
{
	size_t bytes = 0;

	while (text[bytes])
		bytes++;
	bare_call(SYS_write, 1, (long)(uintptr_t)text, (long)bytes, 0);
}

#ifndef BARE_HOSTED
void bare_entry(long *stack)
{
	int status = bare_run((int)stack[0], (char **)&stack[1]);

	bare_call(SYS_exit_group, status, 0, 0, 0);
}
#endif
