/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sha256 - SHA-256 against the examples of its standard
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shared/sha256.h"

static const char *in_hex(struct tm_sha256 *digest)
{
	static char text[2 * TM_SHA256_BYTES + 1];
	uint8_t bytes[TM_SHA256_BYTES];

	tm_sha256_end(digest, bytes);
	for (unsigned i = 0; i < TM_SHA256_BYTES; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text;
}

static const char *of(const char *text)
{
	struct tm_sha256 digest;

	tm_sha256_init(&digest);
	tm_sha256_add(&digest, text, strlen(text));
	return in_hex(&digest);
}

static void examples_of_the_standard_are_reproduced(void **state)
{
	struct tm_sha256 digest;

	assert_string_equal(of("abc"), "ba7816bf8f01cfea414140de5dae2223"
				       "b00361a396177a9cb410ff61f20015ad");
	assert_string_equal(of(""), "e3b0c44298fc1c149afbf4c8996fb924"
				    "27ae41e4649b934ca495991b7852b855");
	assert_string_equal(of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
			    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	tm_sha256_init(&digest);
	for (unsigned i = 0; i < 100000; i++)
		tm_sha256_add(&digest, "aaaaaaaaaa", 10);
	assert_string_equal(in_hex(&digest), "cdc76e5c9914fb9281a1c7e284d73e67"
					     "f1809a48a497200e046d39ccc7112cd0");
}

static void digest_of_parts_is_that_of_the_whole_at_every_length(void **state)
{
	uint8_t text[3 * TM_SHA256_BLOCK], whole[TM_SHA256_BYTES], parts[TM_SHA256_BYTES];
	struct tm_sha256 digest;

	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * 7);
	for (size_t length = 0; length <= sizeof(text); length++) {
		tm_sha256_init(&digest);
		tm_sha256_add(&digest, text, length);
		tm_sha256_end(&digest, whole);
		for (size_t part = 1; part <= length; part += 13) {
			tm_sha256_init(&digest);
			for (size_t at = 0; at < length; at += part)
				tm_sha256_add(&digest, text + at,
					      length - at < part ? length - at : part);
			tm_sha256_end(&digest, parts);
			assert_memory_equal(parts, whole, TM_SHA256_BYTES);
		}
	}
}

static void instructions_of_x86_make_the_same_digest(void **state)
{
	uint8_t block[TM_SHA256_BLOCK];
	uint32_t portable[TM_SHA256_WORDS] = {1, 2}, special[TM_SHA256_WORDS] = {1, 2}, next = 1;

	if (!tm_sha256_x86_is_there())
		skip();
	for (unsigned i = 0; i < 1000; i++) {
		for (unsigned j = 0; j < sizeof(block); j++)
			block[j] = (uint8_t)((next = next * 1664525 + 1013904223) >> 24);
		tm_sha256_block(portable, block);
		tm_sha256_x86_block(special, block);
		assert_memory_equal(portable, special, sizeof(portable));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples_of_the_standard_are_reproduced),
		cmocka_unit_test(digest_of_parts_is_that_of_the_whole_at_every_length),
		cmocka_unit_test(instructions_of_x86_make_the_same_digest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
