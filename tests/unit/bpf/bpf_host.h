/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * bpf_host - the user-space kernel around the BPF programs: memory, running task, clock
 *
 * Kernel memory is the test's own: addresses of its objects. User memory is only what
 * bpf_host_memory() has mapped; all other user addresses fault. There is one CPU and one running
 * task.
 */

#include <stddef.h>
#include <stdint.h>

enum bpf_host_kernel {      /* decides which fields the kernel's structures have */
	BPF_HOST_RED_BLACK, /* as 5.10: mappings in a red-black tree, no count of write locks */
	BPF_HOST_MAPLE,     /* as 6.12: mappings in a maple tree, mm_lock_seq is a number */
};

/* Afterwards there is no memory and no task, maps are empty, and the time is 1 s. */
void bpf_host_reset(enum bpf_host_kernel kernel);
/* Sets the running task: the address of a struct task_struct, and its process and thread id. */
void bpf_host_run(const void *task, uint32_t tgid, uint32_t tid);
/* Each reading of the clock advances it by @step_ns. */
void bpf_host_clock(uint64_t step_ns);
/* So much time passes at once. */
void bpf_host_pass(uint64_t ns);
/* Random numbers follow from @seed; 0, as after the reset: all are 0. */
void bpf_host_random(uint64_t seed);
void bpf_host_kernel_stack(const uint64_t *addresses, uint32_t count);
/* Maps zeroed, readable user memory. */
void bpf_host_memory(uint64_t start, uint64_t bytes);
void bpf_host_write(uint64_t address, const void *from, size_t bytes);
/* Has @fn called before each attempt to read user memory, until the reset. */
void bpf_host_before_read(void (*fn)(uint64_t address, uint32_t bytes));
/* Likewise behind each reading that succeeds. */
void bpf_host_after_read(void (*fn)(uint64_t address));
/* Likewise behind each reading of kernel memory, strings included. */
void bpf_host_after_kernel_read(void (*fn)(void));
/* How often user memory was read since the reset. */
unsigned bpf_host_reads(void);
/* Likewise kernel memory. */
unsigned bpf_host_kernel_reads(void);
