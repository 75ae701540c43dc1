/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines_program - C++ code, whose functions have linkage names, and declarations in their class
 */

namespace scope
{
struct adder {
	int add(int x);
	inline __attribute__((always_inline)) int twice(int x)
	{
#line 1001
		__asm__ volatile("place_inner: nop" : "+r"(x));
		return 2 * x;
	}
};

#line 3001
__attribute__((noinline)) int adder::add(int x)
{
#line 3003
	int y = twice(x);

#line 3005
	__asm__ volatile("place_outer: nop" : "+r"(y));
	return y;
}
} // namespace scope

int main(int argc, char **)
{
	scope::adder adder;

	return adder.add(argc);
}
