/* SPDX-License-Identifier: Apache-2.0 */
/*
 * odd_stacks - spends its time on stacks of unusual kinds, one thread for each kind
 *
 * odd_stacks SECONDS. The stacks: one split into many mappings by madvise and mlock; one of shared
 * memory; one that was entered from another as Rust's psm does, three times over; the process's
 * own, deep below what was touched; that of a child of vfork. In odd_stacks-exec all of them are
 * executable.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "noinline.h"
#include "spin.h"

#define STACK_BYTES (256u << 10)
#define PAGE        4096u
#define PAGES       (STACK_BYTES / PAGE)
#define STEPS       100000u /* some 100 us */
#define DEPTH       24u
#define SWITCHES    3u
#define FAR_STEPS   6000000ull /* some 2 ms */

static time_t end;

static bool is_over(void)
{
	return time(NULL) >= end;
}

/* A frame of some pages, so that the stack's parts are all in use. */
noinline static uint64_t descend(unsigned depth)
{
	char page[PAGE + PAGE / 2];

	__asm__ __volatile__("" : : "r"(page) : "memory");
	if (depth)
		return descend(depth - 1) + (uint64_t)page[0];
	while (!is_over())
		spin_steps(STEPS);
	return 0;
}

static void *on_split_stack(void *stack)
{
	for (unsigned i = 0; i < PAGES; i += 4)
		(void)madvise((char *)stack + i * PAGE, 2 * PAGE, MADV_DONTDUMP);
	for (unsigned i = 8; i < PAGES; i += 16)
		(void)mlock((char *)stack + i * PAGE, PAGE);
	(void)descend(DEPTH);
	return NULL;
}

static void *on_shared_stack(void *stack)
{
	(void)descend(DEPTH);
	return NULL;
}

/* Calls @fn(@argument) on the stack that ends at @top, as psm's rust_psm_on_stack does. */
void odd_stacks_call_on(void *top, void (*fn)(unsigned), unsigned argument);
__asm__(".text\n"
	".type odd_stacks_call_on, @function\n"
	"odd_stacks_call_on:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa rsp, 16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa rbp, 16\n"
	"	.cfi_offset rbp, -16\n"
	"	mov %rdi, %rsp\n"
	"	mov %edx, %edi\n"
	"	call *%rsi\n"
	"	mov %rbp, %rsp\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size odd_stacks_call_on, . - odd_stacks_call_on\n");

static int stack_access = PROT_READ | PROT_WRITE;

static char *new_stack(int flags)
{
	char *stack = mmap(NULL, STACK_BYTES + 2 * PAGE, PROT_NONE,
			   MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);

	if (stack == MAP_FAILED || mprotect(stack + PAGE, STACK_BYTES, stack_access) < 0)
		abort();
	return stack + PAGE;
}

noinline static void switched(unsigned switches)
{
	if (switches)
		odd_stacks_call_on(new_stack(MAP_PRIVATE) + STACK_BYTES, switched, switches - 1);
	else
		(void)descend(4);
}

static void *on_entered_stacks(void *stack)
{
	switched(SWITCHES);
	return NULL;
}

/* Counts down with its sp a MiB below what the stack has been used for: nothing is touched. */
void odd_stacks_far(uint64_t steps);
__asm__(".text\n"
	".type odd_stacks_far, @function\n"
	"odd_stacks_far:\n"
	"	.cfi_startproc\n"
	"	sub $0x100000, %rsp\n"
	"	.cfi_adjust_cfa_offset 0x100000\n"
	"1:	dec %rdi\n"
	"	jnz 1b\n"
	"	add $0x100000, %rsp\n"
	"	.cfi_adjust_cfa_offset -0x100000\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size odd_stacks_far, . - odd_stacks_far\n");

/* The child has its parent's memory, and its parent waits for it. */
noinline static void in_vfork_child(void)
{
	pid_t child = vfork();

	if (child == 0) {
		for (unsigned i = 0; i < 20; i++)
			spin_steps(STEPS);
		_exit(0);
	}
	if (child > 0)
		(void)waitpid(child, NULL, 0);
}

static pthread_t start(void *(*fn)(void *), int flags)
{
	char *stack = new_stack(flags);
	pthread_attr_t attributes;
	pthread_t thread;

	if (pthread_attr_init(&attributes) ||
	    pthread_attr_setstack(&attributes, stack, STACK_BYTES) ||
	    pthread_create(&thread, &attributes, fn, stack))
		abort();
	return thread;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];

	end = time(NULL) + (argc > 1 ? strtol(argv[1], NULL, 10) : 1);
#ifdef ODD_STACKS_EXECUTABLE
	stack_access |= PROT_EXEC;
#endif
	threads[0] = start(on_split_stack, MAP_PRIVATE);
	threads[1] = start(on_shared_stack, MAP_SHARED);
	threads[2] = start(on_entered_stacks, MAP_PRIVATE);
	while (!is_over()) {
		odd_stacks_far(FAR_STEPS);
		in_vfork_child();
	}
	for (int i = 0; i < 3; i++)
		(void)pthread_join(threads[i], NULL);
	return 0;
}
