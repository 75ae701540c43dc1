/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_attribute_list_random - random attributes are in a list, and read back, as a model says
 */

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/cleanup.h"
#include "shared/parse.h"
#include "shared/utf8.h"
#include "symbolizer/base/attribute_list.h"

#define KEY_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/"
#define ROUNDS    2000
#define ADDED_MAX 40u /* in a round */

static uint64_t random_state;

static uint32_t random_below(uint32_t end)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((random_state >> 33) % end);
}

/* Of exactly this size, so that a sanitizer sees a write beyond it. */
static struct attribute_list begin(size_t bytes)
{
	struct attribute_list list = {.text = malloc(bytes), .bytes = bytes};

	assert_non_null(list.text);
	list.text[0] = '\0';
	return list;
}

struct added {
	char key[ATTRIBUTE_KEY_MAX + 2];
	uint8_t value[ATTRIBUTE_VALUE_MAX + 1];
	size_t value_bytes;
};

/* Few keys, so that some are there already; some bytes of values are plain. */
static void make_random(struct added *added)
{
	static const uint32_t lengths[] = {0, 1, 1, 2, ATTRIBUTE_KEY_MAX, ATTRIBUTE_KEY_MAX + 1};
	uint32_t length = lengths[random_below(sizeof(lengths) / sizeof(lengths[0]))];
	const uint32_t plain = random_below(2);

	memset(added, 0, sizeof(*added));
	for (uint32_t i = 0; i < length; i++)
		added->key[i] = KEY_BYTES[random_below(sizeof(KEY_BYTES) - 1)];
	if (length && random_below(20) == 0)
		added->key[random_below(length)] = (char)(1 + random_below(255));
	added->value_bytes = random_below(random_below(4) ? 20 : sizeof(added->value) + 1);
	for (size_t i = 0; i < added->value_bytes; i++)
		added->value[i] = plain ? (uint8_t)KEY_BYTES[random_below(sizeof(KEY_BYTES) - 1)]
					: (uint8_t)random_below(256);
}

/* Bytes of text that an attribute needs, the NUL aside; 0: none may have it. */
static size_t needed(const struct added *kept, uint32_t count, const struct added *added)
{
	const size_t key = strlen(added->key);
	size_t bytes = key + 1 + (count > 0);

	if (key == 0 || key > ATTRIBUTE_KEY_MAX || strspn(added->key, KEY_BYTES) != key ||
	    added->value_bytes == 0 || added->value_bytes > ATTRIBUTE_VALUE_MAX)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(kept[i].key, added->key) == 0)
			return 0;
	for (size_t i = 0; i < added->value_bytes; i++)
		bytes += memchr(KEY_BYTES " ", added->value[i], sizeof(KEY_BYTES)) ? 1 : 3;
	return bytes;
}

static void expect_all(const char *text, const struct added *kept, uint32_t count)
{
	char clean[TM_UTF8_CLEAN_BYTES(ATTRIBUTE_VALUE_MAX)];
	struct attribute read;

	for (const char *c = text; *c; c++)
		assert_in_range(*c, ' ', '~');
	for (uint32_t i = 0; i < count; i++) {
		assert_true(attribute_list_next(&text, &read));
		assert_string_equal(read.key, kept[i].key);
		(void)tm_utf8_clean((const char *)kept[i].value, kept[i].value_bytes, clean,
				    sizeof(read.value));
		assert_string_equal(read.value, clean);
	}
	assert_false(attribute_list_next(&text, &read));
}

static void random_attributes_are_read_back(void **state)
{
	static struct added kept[ADDED_MAX];
	uint32_t count = 0, all = 0;

	for (int round = 0; round < ROUNDS; round++, all += count) {
		struct attribute_list list = begin(1 + random_below(2048));

		count = 0;
		for (uint32_t i = 0; i < ADDED_MAX; i++) {
			_cleanup_(tm_freep) char *before = strdup(list.text);
			struct added *added = &kept[count];
			size_t bytes;
			bool fits;

			make_random(added);
			bytes = needed(kept, count, added);
			fits = bytes > 0 && list.used + bytes < list.bytes;
			assert_int_equal(attribute_list_add(&list, added->key, added->value,
							    added->value_bytes),
					 fits);
			count += fits;
			assert_memory_equal(list.text, before, strlen(before));
			assert_int_equal(strlen(list.text), strlen(before) + (fits ? bytes : 0));
			assert_int_equal(list.used, strlen(list.text));
		}
		expect_all(list.text, kept, count);
		free(list.text);
	}
	assert_true(all > ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_attributes_are_read_back),
	};
	const char *seed = getenv("TM_SEED"); // NOLINT(concurrency-mt-unsafe)

	if (!seed || tm_parse_number(seed, 1, UINT64_MAX, &random_state))
		random_state = (uintptr_t)&seed ^ 0x5eed;
	print_message("TM_SEED=%" PRIu64 "\n", random_state);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
