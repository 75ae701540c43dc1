/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exit_at_once - the shortest program there can be
 *
 * usage: exit_at_once [MIB]. With MIB it first touches that much memory, which the kernel frees
 * after the EXIT event of the process: samples still come in meanwhile.
 */

#include <sys/mman.h>

#include "bare.h"

#define PAGE 4096u

bare_noinline static long touch(unsigned long bytes)
{
	register long r8 __asm__("r8") = -1;
	register long r9 __asm__("r9") = 0;
	register long r10 __asm__("r10") = MAP_PRIVATE | MAP_ANONYMOUS;
	uint8_t *memory;
	long result;

	bare_frame();
	__asm__ __volatile__("syscall"
			     : "=a"(result)
			     : "a"(SYS_mmap), "D"(0), "S"(bytes), "d"(PROT_READ | PROT_WRITE),
			       "r"(r10), "r"(r8), "r"(r9)
			     : "rcx", "r11", "memory");
	if (result < 0)
		return 1;
	memory = (uint8_t *)(uintptr_t)result;
	for (unsigned long at = 0; at < bytes; at += PAGE)
		memory[at] = 1;
	return 0;
}

int bare_run(int argc, char **argv)
{
	return argc > 1 ? (int)touch((unsigned long)bare_number(argv[1]) << 20) : 0;
}
