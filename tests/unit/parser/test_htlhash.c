/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_htlhash - hashes of head, tail and length against those of another implementation
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "symbolizer/parser/elf/htlhash.h"

struct file {
	uint64_t bytes;
	const char *hash;
};

/* Of bytes i * 7 + i / 256, by Python's hashlib. */
static const struct file files[] = {
	{0, "af5570f5a1810b7af78caf4bc70a660f"},     {1, "52807a4607ea5debf0b7d4ccb452f4af"},
	{4095, "bb7fbcc95087daef3ab29bb3a93add0a"},  {4096, "90bb800c5f450e89215cbcc78f924f68"},
	{4097, "15cf4f59b05d2f8f5cf251ed654158f5"},  {8192, "9451ed8ae8e30ad6dd586918da276aac"},
	{10000, "309566d4ceda5b733cb8c9a37c93ab2b"}, {1000000, "f123db3a421af6cac4ed6d578a175212"},
};

static uint64_t bytes_read;

static int read_bytes(void *context, void *to, uint64_t offset, size_t bytes)
{
	const uint64_t *size = context;
	uint8_t *at = to;

	assert_true(offset <= *size && bytes <= *size - offset);
	for (size_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)((offset + i) * 7 + (offset + i) / 256);
	bytes_read += bytes;
	return 0;
}

static int read_nothing(void *context, void *to, uint64_t offset, size_t bytes)
{
	return -5;
}

static void hash_is_that_of_the_convention(void **state)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		uint64_t size = files[i].bytes;
		const struct image_source source = {read_bytes, &size, size};
		uint8_t hash[PARSER_HTLHASH_BYTES];
		char text[2 * PARSER_HTLHASH_BYTES + 1];

		assert_int_equal(htlhash_read(&source, hash), 0);
		for (size_t j = 0; j < sizeof(hash); j++)
			(void)snprintf(text + 2 * j, 3, "%02x", hash[j]);
		assert_string_equal(text, files[i].hash);
	}
}

static void only_head_and_tail_are_read(void **state)
{
	uint64_t size = 1ull << 40;
	const struct image_source source = {read_bytes, &size, size};
	uint8_t hash[PARSER_HTLHASH_BYTES];

	bytes_read = 0;
	assert_int_equal(htlhash_read(&source, hash), 0);
	assert_int_equal(bytes_read, 8192);
}

static void file_that_cannot_be_read_has_none(void **state)
{
	const struct image_source source = {read_nothing, NULL, 1};
	uint8_t hash[PARSER_HTLHASH_BYTES];

	assert_int_equal(htlhash_read(&source, hash), PARSER_FAILED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hash_is_that_of_the_convention),
		cmocka_unit_test(only_head_and_tail_are_read),
		cmocka_unit_test(file_that_cannot_be_read_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
