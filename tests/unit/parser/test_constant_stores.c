/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_constant_stores - constants that code stores are found; what may be another value is not
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/parser/x86/constant_stores.h"

#define CODE  0x1000u
#define PLACE 0x2000u

static struct constant_store found[8];
static uint32_t count;

static void take(void *context, const struct constant_store *store)
{
	assert_true(count < sizeof(found) / sizeof(found[0]));
	found[count++] = *store;
}

static void read_code(const void *bytes, uint64_t size)
{
	/* Exactly as large, so that a sanitizer sees what is read behind it. */
	uint8_t *exact = malloc(size);
	const struct section code = {exact, size, CODE, 0};
	const struct constant_stores stores = {&code, take, NULL};
	const uint64_t function = CODE;

	assert_non_null(exact);
	memcpy(exact, bytes, size);
	count = 0;
	assert_int_equal(constant_stores_read(&stores, &function, 1), 0);
	free(exact);
}
#define READ(...) read_code((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
/* The distance from behind an instruction that ends at @end of the code to @place. */
#define TO(place, end)                                                           \
	(uint8_t)((place)-CODE - (end)), (uint8_t)(((place)-CODE - (end)) >> 8), \
		(uint8_t)(((place)-CODE - (end)) >> 16), (uint8_t)(((place)-CODE - (end)) >> 24)

static void expect(uint32_t number, uint64_t vaddr, uint32_t bytes, uint64_t value)
{
	assert_true(number < count);
	assert_int_equal(found[number].vaddr, vaddr);
	assert_int_equal(found[number].bytes, bytes);
	assert_true(found[number].is_known);
	assert_int_equal(found[number].value, value);
}

static void expect_unknown(uint32_t number, uint64_t vaddr)
{
	assert_true(number < count);
	assert_int_equal(found[number].vaddr, vaddr);
	assert_false(found[number].is_known);
}

static void an_immediate_is_stored_in_each_width(void **state)
{
	READ(0x48, 0xc7, 0x05, TO(PLACE, 11), 0x10, 0, 0, 0x80, /* movq */
	     0xc7, 0x05, TO(PLACE + 8, 21), 1, 2, 3, 0x84,      /* movl */
	     0x66, 0xc7, 0x05, TO(PLACE + 12, 30), 5, 0x86,     /* movw */
	     0xc6, 0x05, TO(PLACE + 14, 37), 0x87,              /* movb */
	     0xc3);
	assert_int_equal(count, 4);
	expect(0, PLACE, 8, 0xffffffff80000010);
	expect(1, PLACE + 8, 4, 0x84030201);
	expect(2, PLACE + 12, 2, 0x8605);
	expect(3, PLACE + 14, 1, 0x87);
}

static void a_register_is_known_from_a_constant_on(void **state)
{
	READ(0xb8, 1, 0, 0, 0x80,                /* mov $,%eax */
	     0x48, 0x89, 0x05, TO(PLACE, 12),    /* mov %rax,PLACE */
	     0x49, 0xb9, 1, 2, 3, 4, 5, 6, 7, 8, /* movabs $,%r9 */
	     0x4c, 0x89, 0xca,                   /* mov %r9,%rdx */
	     0x89, 0x15, TO(PLACE, 31),          /* mov %edx,PLACE */
	     0x31, 0xd2,                         /* xor %edx,%edx */
	     0x48, 0x8d, 0x05, TO(PLACE, 40),    /* lea PLACE,%rax */
	     0x48, 0x89, 0x50, 0x10,             /* mov %rdx,16(%rax) */
	     0x48, 0x89, 0x00,                   /* mov %rax,(%rax) */
	     0xc3);
	assert_int_equal(count, 4);
	expect(0, PLACE, 8, 0x80000001);
	expect(1, PLACE, 4, 0x04030201);
	expect(2, PLACE + 16, 8, 0);
	expect(3, PLACE, 8, PLACE);
}

static void a_register_that_was_written_otherwise_is_not_known(void **state)
{
	READ(0xb8, 1, 0, 0, 0,                /* mov $1,%eax */
	     0x83, 0xc0, 1,                   /* add $1,%eax */
	     0x48, 0x89, 0x05, TO(PLACE, 15), /* mov %rax,PLACE */
	     0xb8, 1, 0, 0, 0,                /* mov $1,%eax */
	     0xb0, 2,                         /* mov $2,%al */
	     0x48, 0x89, 0x05, TO(PLACE, 29), /* mov %rax,PLACE */
	     0xb8, 1, 0, 0, 0,                /* mov $1,%eax */
	     0x8b, 0x05, TO(PLACE, 40),       /* mov PLACE,%eax */
	     0x48, 0x89, 0x05, TO(PLACE, 47), /* mov %rax,PLACE */
	     0x89, 0x10,                      /* mov %edx,(%rax) */
	     0xc3);
	assert_int_equal(count, 3);
	for (uint32_t i = 0; i < count; i++)
		expect_unknown(i, PLACE);
}

static void a_call_may_change_every_register(void **state)
{
	READ(0xbb, 1, 0, 0, 0,                /* mov $1,%ebx */
	     0xe8, 0, 1, 0, 0,                /* call */
	     0x48, 0x89, 0x1d, TO(PLACE, 17), /* mov %rbx,PLACE */
	     0xc3);
	assert_int_equal(count, 1);
	expect_unknown(0, PLACE);
}

static void other_instructions_store_something_unknown(void **state)
{
	READ(0x0f, 0x29, 0x05, TO(PLACE, 7),        /* movaps %xmm0,PLACE */
	     0x66, 0x0f, 0xd6, 0x05, TO(PLACE, 15), /* movq %xmm0,PLACE */
	     0xff, 0x05, TO(PLACE, 21),             /* incl PLACE */
	     0x80, 0x3d, TO(PLACE, 28), 0,          /* cmpb $0,PLACE */
	     0x48, 0x85, 0x05, TO(PLACE, 35),       /* test %rax,PLACE */
	     0xc3);
	assert_int_equal(count, 3);
	for (uint32_t i = 0; i < count; i++) {
		expect_unknown(i, PLACE);
		assert_int_equal(found[i].bytes, CONSTANT_STORES_UNKNOWN);
	}
}

static void both_ways_of_a_branch_are_followed(void **state)
{
	READ(0x80, 0x3d, TO(PLACE, 7), 0,                     /* cmpb $0,PLACE */
	     0x74, 12,                                        /* je */
	     0x48, 0xc7, 0x05, TO(PLACE, 20), 1, 0, 0, 0,     /* movq */
	     0xc3,                                            /* ret */
	     0x48, 0xc7, 0x05, TO(PLACE + 8, 32), 2, 0, 0, 0, /* movq */
	     0xeb, 0xe7);                                     /* jmp to the first movq */
	assert_int_equal(count, 2);
	expect(0, PLACE, 8, 1);
	expect(1, PLACE + 8, 8, 2);
}

static void a_register_is_not_known_where_a_jump_leads(void **state)
{
	READ(0xb8, 1, 0, 0, 0,                /* mov $1,%eax */
	     0x48, 0x89, 0x05, TO(PLACE, 12), /* mov %rax,PLACE: the second time it is 2 */
	     0xb8, 2, 0, 0, 0,                /* mov $2,%eax */
	     0x75, 0xf2,                      /* jne back */
	     0x48, 0x89, 0x05, TO(PLACE, 26), /* mov %rax,PLACE */
	     0xc3);
	assert_int_equal(count, 2);
	expect_unknown(0, PLACE);
	expect(1, PLACE, 8, 2);
}

static void a_cycle_ends(void **state)
{
	READ(0x48, 0xc7, 0x05, TO(PLACE, 11), 1, 0, 0, 0, 0xeb, 0xf3);
	assert_int_equal(count, 1);
	READ(0xeb, 0xfe);
	assert_int_equal(count, 0);
}

static void code_that_ends_or_is_none_is_left_alone(void **state)
{
	READ(0x48, 0xc7, 0x05, TO(PLACE, 11), 1, 0, 0);
	assert_int_equal(count, 0);
	READ(0x48, 0xc7, 0x05, TO(PLACE, 11), 1, 0, 0, 0, 0xe9, 0xff, 0xff, 0xff, 0x7f);
	assert_int_equal(count, 1);
	READ(0x06, 0x48, 0xc7, 0x05, TO(PLACE, 12), 1, 0, 0, 0);
	assert_int_equal(count, 0);
	READ(0x0f, 0x0b, 0x48, 0xc7, 0x05, TO(PLACE, 13), 1, 0, 0, 0);
	assert_int_equal(count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_immediate_is_stored_in_each_width),
		cmocka_unit_test(a_register_is_known_from_a_constant_on),
		cmocka_unit_test(a_register_that_was_written_otherwise_is_not_known),
		cmocka_unit_test(a_call_may_change_every_register),
		cmocka_unit_test(other_instructions_store_something_unknown),
		cmocka_unit_test(both_ways_of_a_branch_are_followed),
		cmocka_unit_test(a_register_is_not_known_where_a_jump_leads),
		cmocka_unit_test(a_cycle_ends),
		cmocka_unit_test(code_that_ends_or_is_none_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
