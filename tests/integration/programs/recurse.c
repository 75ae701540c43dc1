/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recurse - a stack of an exact number of frames, none of libc, whose leaf spins in registers
 *
 * usage: recurse FRAMES [FORM]: _start, begin, work, FRAMES - 4 functions of that form, leaf.
 * FORM is t, thin (saves no register), m, middle (saves rbx and rbp), f, full (saves all six) or
 * x, the three in turn (the default). recurse-cfi has call frame information alone and garbage
 * in rbp, recurse-fp frame pointers alone, so that each of its functions has a frame record.
 */

#include <stdint.h>

#include "tests/integration/programs/noinline.h"
#include "tests/integration/programs/spin.h"

#define FRAMES_LEAST 5u
#define FRAMES_MOST  4096u

#ifdef RECURSE_CFI
#define CFI_BEGIN       ".cfi_startproc\n.cfi_undefined rip\n"
#define CFI_END         ".cfi_endproc\n"
#define MIDDLE          "rbx", "rbp"
#define FULL            "rbx", "rbp", "r12", "r13", "r14", "r15"
#define overwrite_rbp() __asm__ __volatile__("movl $0x5a5a5a5a, %%ebp" : : : "rbp")
#define keep_frame()    ((void)0)
#else
#define CFI_BEGIN       ""
#define CFI_END         ""
#define MIDDLE          "rbx"
#define FULL            "rbx", "r12", "r13", "r14", "r15"
#define overwrite_rbp() ((void)0)
/* gcc omits the frame of a function that needs no stack, whatever its options. */
#define keep_frame()    __asm__ __volatile__("" : : "r"(__builtin_frame_address(0)))
#endif

#define own_frame noinline __attribute__((used))

/* The outermost: its caller is undefined, its frame pointer zero. */
__asm__(".text\n"
	".globl _start\n"
	".type _start, @function\n"
	"_start:\n" CFI_BEGIN "	xorl %ebp, %ebp\n"
	"	movq %rsp, %rdi\n"
	"	andq $-16, %rsp\n"
	"	call begin\n"
	"	hlt\n" CFI_END ".size _start, . - _start\n");

typedef uint64_t form(uint64_t x, unsigned left, unsigned turn);

static form thin, middle, full;
static form *const forms[3] = {thin, middle, full};
static unsigned turn_step; /* from one form to the next: 0 keeps to one, 1 takes them in turn */

own_frame static uint64_t leaf(uint64_t x)
{
	keep_frame();
	for (;;)
		SPIN_CHAIN(x, 100000);
	return x;
}

static inline uint64_t next(uint64_t x, unsigned left, unsigned turn)
{
	turn += turn_step;
	turn -= turn >= 3 ? 3 : 0;
	return left ? forms[turn](x, left - 1, turn) + 1 : leaf(x) + 1;
}

own_frame static uint64_t thin(uint64_t x, unsigned left, unsigned turn)
{
	return next(x, left, turn);
}

own_frame static uint64_t middle(uint64_t x, unsigned left, unsigned turn)
{
	__asm__ __volatile__("" : : : MIDDLE);
	overwrite_rbp();
	return next(x, left, turn);
}

own_frame static uint64_t full(uint64_t x, unsigned left, unsigned turn)
{
	__asm__ __volatile__("" : : : FULL);
	overwrite_rbp();
	return next(x, left, turn);
}

own_frame static uint64_t work(uint64_t x, unsigned frames, unsigned turn)
{
	return next(x, frames - FRAMES_LEAST + 1, turn);
}

void begin(const long *stack);
void begin(const long *stack)
{
	const char *const *argv = (const char *const *)(stack + 1);
	unsigned frames = 0;
	char which = *stack > 2 ? argv[2][0] : 'x';

	for (const char *at = *stack > 1 ? argv[1] : ""; *at >= '0' && *at <= '9'; at++)
		frames = frames * 10 + (unsigned)(*at - '0');
	if (frames < FRAMES_LEAST || frames > FRAMES_MOST)
		__builtin_trap();
	turn_step = which == 'x';
	(void)work(1, frames, which == 'm' ? 1 : which == 'f' ? 2 : 0);
	__builtin_trap();
}
