/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_inflate - gzip of hostile origin: whole, in several members, cut, damaged, too long
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <zlib.h>

#include "symbolizer/viewer/inflate.h"

#define PLAIN_BYTES  (1u << 20)
#define PACKED_BYTES (2u << 20)

static uint8_t plain[PLAIN_BYTES], packed[PACKED_BYTES];
static struct budget budget;
static struct bytes found;

/* Appends a gzip member of @count plain bytes. Return: where it ends. */
static size_t pack(size_t at, size_t count)
{
	z_stream stream = {.next_in = plain,
			   .avail_in = (uInt)count,
			   .next_out = packed + at,
			   .avail_out = (uInt)(sizeof(packed) - at)};

	assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	(void)deflateEnd(&stream);
	return (size_t)(stream.next_out - packed);
}

static int begin(void **state)
{
	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (uint8_t)(i * i >> 7);
	budget = (struct budget){.limit = UINT64_MAX};
	found = (struct bytes){.budget = &budget};
	return 0;
}

static int end(void **state)
{
	bytes_deinit(&found);
	assert_int_equal(budget.used, 0);
	return 0;
}

static void several_members_are_one_text(void **state)
{
	size_t count = pack(pack(0, PLAIN_BYTES), 1000);

	assert_int_equal(inflate_gzip(packed, count, UINT32_MAX, &found), 0);
	assert_int_equal(found.count, PLAIN_BYTES + 1000);
	assert_memory_equal(found.items, plain, PLAIN_BYTES);
	assert_memory_equal(found.items + PLAIN_BYTES, plain, 1000);
}

static void the_limit_is_exact(void **state)
{
	size_t count = pack(0, 5000);

	assert_int_equal(inflate_gzip(packed, count, 5001, &found), 0);
	assert_int_equal(inflate_gzip(packed, count, 4999, &found), INFLATE_E_TOO_LARGE);
	assert_true(found.count <= 4999);
}

static void what_is_cut_or_changed_is_invalid(void **state)
{
	size_t count = pack(0, 5000);

	for (size_t cut = 0; cut < count; cut++)
		assert_int_equal(inflate_gzip(packed, cut, UINT32_MAX, &found), INFLATE_E_INVALID);
	packed[count - 5] ^= 1; /* of the checksum */
	assert_int_equal(inflate_gzip(packed, count, UINT32_MAX, &found), INFLATE_E_INVALID);
}

static void no_memory_is_an_error_of_its_own(void **state)
{
	size_t count = pack(0, 5000);

	budget.limit = 1000;
	assert_int_equal(inflate_gzip(packed, count, UINT32_MAX, &found), INFLATE_E_MEMORY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(several_members_are_one_text, begin, end),
		cmocka_unit_test_setup_teardown(the_limit_is_exact, begin, end),
		cmocka_unit_test_setup_teardown(what_is_cut_or_changed_is_invalid, begin, end),
		cmocka_unit_test_setup_teardown(no_memory_is_an_error_of_its_own, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
