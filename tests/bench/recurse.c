/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recurse - a stack of exactly so many frames, none of them libc's, that spins in registers for ever
 *
 * recurse FRAMES [FORM]: _start, begin, work, FRAMES - 4 functions of that form, leaf. FORM: t, thin (saves
 * nothing); m, middle (saves rbx and rbp beside the return address); f, full (saves all six); x, default:
 * the three in turn. recurse-rows has call frame information alone and garbage in rbp, recurse-pointers
 * frame pointers alone, so all its forms have a frame record.
 */

#include <stdint.h>

#include "tests/integration/programs/noinline.h"

#define FRAMES_LEAST 5u
#define FRAMES_MOST  4096u

#ifdef RECURSE_ROWS
#define ROWS_BEGIN ".cfi_startproc\n.cfi_undefined rip\n"
#define ROWS_END   ".cfi_endproc\n"
#define MIDDLE     "rbx", "rbp"
#define FULL       "rbx", "rbp", "r12", "r13", "r14", "r15"
#define spoil()    __asm__ __volatile__("movl $0x5a5a5a5a, %%ebp" : : : "rbp")
#define frame()    ((void)0)
#else
#define ROWS_BEGIN ""
#define ROWS_END   ""
#define MIDDLE     "rbx"
#define FULL       "rbx", "r12", "r13", "r14", "r15"
#define spoil()    ((void)0)
/* gcc leaves out the frame of a function that needs no stack, whatever it is told. */
#define frame()    __asm__ __volatile__("" : : "r"(__builtin_frame_address(0)))
#endif

#define apart noinline __attribute__((used))

/* The outermost: its caller is undefined, its frame pointer zero. */
__asm__(".text\n"
	".globl _start\n"
	".type _start, @function\n"
	"_start:\n" ROWS_BEGIN "	xorl %ebp, %ebp\n"
	"	movq %rsp, %rdi\n"
	"	andq $-16, %rsp\n"
	"	call begin\n"
	"	hlt\n" ROWS_END ".size _start, . - _start\n");

typedef uint64_t form(uint64_t x, unsigned left, unsigned turn);

static form thin, middle, full;
static form *const forms[3] = {thin, middle, full};
static unsigned step; /* forms to go on by: 1 takes them in turn, 0 stays */

apart static uint64_t leaf(uint64_t x)
{
	frame();
	for (;;) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ __volatile__("" : "+r"(x));
	}
	return x;
}

static inline uint64_t next(uint64_t x, unsigned left, unsigned turn)
{
	turn += step;
	turn -= turn >= 3 ? 3 : 0;
	return left ? forms[turn](x, left - 1, turn) + 1 : leaf(x) + 1;
}

apart static uint64_t thin(uint64_t x, unsigned left, unsigned turn)
{
	return next(x, left, turn);
}

apart static uint64_t middle(uint64_t x, unsigned left, unsigned turn)
{
	__asm__ __volatile__("" : : : MIDDLE);
	spoil();
	return next(x, left, turn);
}

apart static uint64_t full(uint64_t x, unsigned left, unsigned turn)
{
	__asm__ __volatile__("" : : : FULL);
	spoil();
	return next(x, left, turn);
}

apart static uint64_t work(uint64_t x, unsigned frames, unsigned turn)
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
	step = which == 'x';
	(void)work(1, frames, which == 'm' ? 1 : which == 'f' ? 2 : 0);
	__builtin_trap();
}
