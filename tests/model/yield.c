/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yield - calls a hook at each atomic operation of code that is compiled with
 * -fsanitize=thread
 *
 * The compiler turns every atomic operation of such code into a call; these are the functions it
 * calls, without the sanitizer behind them. Source of the names: gcc/sanitizer.def, and what clang
 * 16 and later call for memcpy, memmove and memset. Plain loads and stores call too, and nothing
 * happens there: no order depends on them.
 */

#include "tests/model/yield.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static yield_fn yield_hook;

void yield_set(yield_fn hook)
{
	yield_hook = hook;
}

void yield_now(void)
{
	yield_fn hook = yield_hook;

	if (!hook)
		return;
	yield_hook = NULL; /* what runs meanwhile is not interrupted itself */
	hook();
	yield_hook = hook;
}

#define NOTHING(name)                      \
	void __tsan_##name(void *address); \
	void __tsan_##name(void *address)  \
	{                                  \
	}
NOTHING(func_entry)
NOTHING(read1)
NOTHING(read2)
NOTHING(read4)
NOTHING(read8)
NOTHING(read16)
NOTHING(write1)
NOTHING(write2)
NOTHING(write4)
NOTHING(write8)
NOTHING(write16)
NOTHING(unaligned_read2)
NOTHING(unaligned_read4)
NOTHING(unaligned_read8)
NOTHING(unaligned_read16)
NOTHING(unaligned_write2)
NOTHING(unaligned_write4)
NOTHING(unaligned_write8)
NOTHING(unaligned_write16)

void __tsan_init(void);
void __tsan_init(void)
{
}
void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}
void __tsan_read_range(void *address, unsigned long bytes);
void __tsan_read_range(void *address, unsigned long bytes)
{
}
void __tsan_write_range(void *address, unsigned long bytes);
void __tsan_write_range(void *address, unsigned long bytes)
{
}

void *__tsan_memcpy(void *to, const void *from, size_t bytes);
void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
	return memcpy(to, from, bytes);
}
void *__tsan_memmove(void *to, const void *from, size_t bytes);
void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
	return memmove(to, from, bytes);
}
void *__tsan_memset(void *to, int byte, size_t bytes);
void *__tsan_memset(void *to, int byte, size_t bytes)
{
	return memset(to, byte, bytes);
}

#define ATOMIC(bits, type)                                                         \
	type __tsan_atomic##bits##_load(const _Atomic type *from, int order);      \
	type __tsan_atomic##bits##_load(const _Atomic type *from, int order)       \
	{                                                                          \
		yield_now();                                                       \
		return atomic_load_explicit(from, memory_order_acquire);           \
	}                                                                          \
	void __tsan_atomic##bits##_store(_Atomic type *to, type value, int order); \
	void __tsan_atomic##bits##_store(_Atomic type *to, type value, int order)  \
	{                                                                          \
		yield_now();                                                       \
		atomic_store_explicit(to, value, memory_order_release);            \
	}
ATOMIC(32, unsigned int)
ATOMIC(64, unsigned long)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
	yield_now();
}
