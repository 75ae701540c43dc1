/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ksyms - the table of kernel symbols is checked whole before it is searched
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/base/ksyms.h"

struct table {
	struct tm_kernel_table header;
	struct tm_kernel_module modules[2];
	struct tm_kernel_symbol symbols[4];
	char names[32];
};

static const struct table good = {
	{TM_KERNEL_MAGIC, 2, 4, 32},
	{{1, 0, 0x3000}, {8, 3, 0x100}},
	{{0x10, 13, 0}, {0x20, 15, 0}, {0x1000, 17, 0}, {0x8, 19, 1}},
	"\0kernel\0ext4\0a\0b\0c\0d",
};

static const char *find(uint64_t module, uint64_t offset)
{
	struct ksyms kernel = KSYMS_NULL;

	assert_int_equal(ksyms_parse(&kernel, &good, sizeof(good)), 0);
	return ksyms_symbol(&kernel, module, offset);
}

static void symbol_at_or_before_the_offset_within_the_module(void **state)
{
	assert_null(find(0, 0xf));
	assert_string_equal(find(0, 0x10), "a");
	assert_string_equal(find(0, 0x1f), "a");
	assert_string_equal(find(0, 0x20), "b");
	assert_string_equal(find(0, 0x2fff), "c");
	assert_null(find(0, 0x3000));
	assert_null(find(1, 7));
	assert_string_equal(find(1, 8), "d");
	assert_null(find(2, 8));
	assert_null(find(TM_FRAME_MODULE_UNKNOWN, 0));
}

static void without_a_table_nothing_is_named(void **state)
{
	struct ksyms kernel = KSYMS_NULL;

	assert_null(ksyms_symbol(&kernel, 0, 0));
	assert_null(ksyms_module(&kernel, 0));
	ksyms_deinit(&kernel);
}

#define refuses(field, value)                                                 \
	do {                                                                  \
		struct ksyms kernel = KSYMS_NULL;                             \
		struct table table = good;                                    \
		table.field = (value);                                        \
		assert_true(ksyms_parse(&kernel, &table, sizeof(table)) < 0); \
		assert_null(ksyms_symbol(&kernel, 0, 0x10));                  \
	} while (0)

static void malformed_tables_are_refused(void **state)
{
	refuses(header.magic, 1);
	refuses(header.modules, 3);
	refuses(header.modules, TM_KERNEL_MODULES_MAX + 1);
	refuses(header.symbols, 5);
	refuses(header.symbols, 0xffffffff);
	refuses(header.name_bytes, 0);
	refuses(header.name_bytes, 33);
	refuses(modules[0].name, 32);
	refuses(modules[0].first_symbol, 1);
	refuses(modules[1].first_symbol, 5);
	refuses(modules[1].first_symbol, 2);
	refuses(symbols[0].offset, 0x30);
	refuses(symbols[1].module, 1);
	refuses(symbols[3].name, 32);
	refuses(names[31], 'x');
}

static void every_shorter_table_is_refused(void **state)
{
	struct ksyms kernel = KSYMS_NULL;

	for (size_t bytes = 0; bytes < sizeof(good); bytes++) {
		void *copy = malloc(bytes ? bytes : 1);

		memcpy(copy, &good, bytes);
		assert_true(ksyms_parse(&kernel, copy, bytes) < 0);
		free(copy);
	}
}

static void unsealed_table_is_refused(void **state)
{
	struct ksyms kernel = KSYMS_NULL;
	int sealed = tm_region_seal_blob("table", &good, sizeof(good));
	struct tm_region open_region = TM_REGION_NULL;

	assert_int_equal(ksyms_open(&kernel, sealed), 0);
	assert_string_equal(ksyms_symbol(&kernel, 0, 0x20), "b");
	assert_int_equal(tm_region_create_for_peer(&open_region, "table", sizeof(good)), 0);
	assert_true(ksyms_open(&kernel, open_region.fd) < 0);
	open_region.fd = -1;
	tm_region_close(&open_region);
	/* The valid table stays in use. */
	assert_string_equal(ksyms_symbol(&kernel, 0, 0x20), "b");
	ksyms_deinit(&kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbol_at_or_before_the_offset_within_the_module),
		cmocka_unit_test(without_a_table_nothing_is_named),
		cmocka_unit_test(malformed_tables_are_refused),
		cmocka_unit_test(every_shorter_table_is_refused),
		cmocka_unit_test(unsealed_table_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
