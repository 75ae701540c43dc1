/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines_program - code whose lines and inlined calls test_lines.c knows
 *
 * Each label is a place in one function; the lines are those that #line gives.
 */

int lines_outer(int x);

static inline __attribute__((always_inline)) int lines_inner(int x)
{
#line 1001
	__asm__ volatile("place_inner: nop" : "+r"(x));
	return x;
}

static inline __attribute__((always_inline)) int lines_middle(int x)
{
#line 2001
	int y = lines_inner(x);

#line 2003
	__asm__ volatile("place_middle: nop" : "+r"(y));
	return y;
}

#line 3001
__attribute__((noinline)) int lines_outer(int x)
{
#line 3003
	int y = lines_middle(x);

#line 3005
	__asm__ volatile("place_outer: nop" : "+r"(y));
	return y;
}

int main(int argc, char **argv)
{
	return lines_outer(argc);
}
