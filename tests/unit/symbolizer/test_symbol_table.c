/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_symbol_table - what a parser's symbol table may be, and what is found in it
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "symbolizer/names/symbol_table.h"
#include "tests/unit/symbolizer/make_symbols.h"

static struct symbol_table table;

static const char *name_at(uint64_t vaddr)
{
	const struct parser_symbol *symbol = symbol_table_find(&table, vaddr);

	return symbol ? symbol_table_name(&table, symbol) : "";
}

static void offsets_find_their_segment(void **state)
{
	const struct symbols good = make_symbols();

	assert_int_equal(symbol_table_parse(&table, &good, sizeof(good)), 0);
	assert_ptr_equal(symbol_table_segment(&table, 0), &good.segments[0]);
	assert_ptr_equal(symbol_table_segment(&table, 0xfff), &good.segments[0]);
	assert_null(symbol_table_segment(&table, 0x1000));
	assert_null(symbol_table_segment(&table, 0x1fff));
	assert_ptr_equal(symbol_table_segment(&table, 0x2000), &good.segments[1]);
	assert_null(symbol_table_segment(&table, 0x3000));
	assert_null(symbol_table_segment(&table, UINT64_MAX));
	assert_int_equal(symbol_table_vaddr(&good.segments[1], 0x2345), 0x42345);
}

static void addresses_find_the_symbol_that_covers_them(void **state)
{
	const struct symbols good = make_symbols();

	assert_int_equal(symbol_table_parse(&table, &good, sizeof(good)), 0);
	assert_string_equal(name_at(0x1000f), "");
	assert_string_equal(name_at(0x10010), "main");
	assert_string_equal(name_at(0x1001f), "main");
	assert_string_equal(name_at(0x10020), "help");
	assert_string_equal(name_at(0x10030), "");
	assert_string_equal(name_at(0x427ff), "last");
	assert_string_equal(name_at(0x42800), "");
	assert_string_equal(name_at(UINT64_MAX), "");
}

static void empty_table_checks_and_finds_nothing(void **state)
{
	const struct parser_symbol_table empty = {.magic = PARSER_SYMBOLS_MAGIC,
						  .debuglink = PARSER_NO_NAME,
						  .altlink = PARSER_NO_NAME,
						  .go_build_id = PARSER_NO_NAME};

	assert_int_equal(symbol_table_parse(&table, &empty, sizeof(empty)), 0);
	assert_null(symbol_table_segment(&table, 0));
	assert_null(symbol_table_find(&table, 0));
}

#define refuses(field, value)                                                              \
	do {                                                                               \
		struct symbols bad = make_symbols();                                       \
		bad.field = (value);                                                       \
		assert_int_equal(symbol_table_parse(&table, &bad, sizeof(bad)), -EBADMSG); \
	} while (0)

static void headers_that_lie_are_refused(void **state)
{
	refuses(header.magic, 0);
	refuses(header.segment_count, PARSER_SEGMENTS_MAX + 1);
	refuses(header.segment_count, 300);
	refuses(header.symbol_count, PARSER_SYMBOLS_MAX + 1);
	refuses(header.symbol_count, UINT32_MAX);
	refuses(header.symbol_count, 400);
	refuses(header.name_bytes, 17);
	refuses(header.name_bytes, UINT32_MAX);
	refuses(header.name_bytes, 0);
	refuses(header.build_id_bytes, PARSER_BUILD_ID_MAX + 1);
	refuses(header.altlink_build_id_bytes, PARSER_BUILD_ID_MAX + 1);
	refuses(header.debuglink, 16);
	refuses(header.altlink, 16);
	refuses(header.go_build_id, 16);
}

static void segments_that_lie_are_refused(void **state)
{
	refuses(segments[0].bytes, 0);
	refuses(segments[0].bytes, 0x2001);
	refuses(segments[1].bytes, UINT64_MAX);
	refuses(segments[1].vaddr, UINT64_MAX);
	refuses(segments[1].offset, 0xfff);
}

static void symbols_that_lie_are_refused(void **state)
{
	refuses(symbols[0].bytes, 0);
	refuses(symbols[0].bytes, 0x11);
	refuses(symbols[2].start, 0x10000);
	refuses(symbols[2].start, UINT64_MAX);
	refuses(symbols[1].name, 16);
	refuses(symbols[1].name, PARSER_NO_NAME);
	refuses(names[15], 'x');
}

static void lengths_that_lie_are_refused(void **state)
{
	static _Alignas(8) uint8_t space[sizeof(struct symbols) + 4096];
	const struct symbols good = make_symbols();

	memcpy(space, &good, sizeof(good));
	for (size_t bytes = 0; bytes < sizeof(good); bytes++)
		assert_int_equal(symbol_table_parse(&table, space, bytes), -EBADMSG);
	assert_int_equal(symbol_table_parse(&table, space, sizeof(good) + 4095), 0);
	assert_int_equal(symbol_table_parse(&table, space, sizeof(good) + 4096), -EBADMSG);
}

static void only_a_sealed_blob_is_opened_and_no_descriptor_stays(void **state)
{
	const struct symbols good = make_symbols();
	int fd = tm_region_seal_blob("symbols", &good, sizeof(good));
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_int_equal(symbol_table_open(&table, fd), 0);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_string_equal(name_at(0x10010), "main");
	symbol_table_close(&table);
	assert_true(symbol_table_open(&table, file) < 0);
	assert_int_equal(fcntl(file, F_GETFD), -1);
	fd = tm_region_seal_blob("symbols", &good, sizeof(good) - 1);
	assert_int_equal(symbol_table_open(&table, fd), -EBADMSG);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_find_their_segment),
		cmocka_unit_test(addresses_find_the_symbol_that_covers_them),
		cmocka_unit_test(empty_table_checks_and_finds_nothing),
		cmocka_unit_test(headers_that_lie_are_refused),
		cmocka_unit_test(segments_that_lie_are_refused),
		cmocka_unit_test(symbols_that_lie_are_refused),
		cmocka_unit_test(lengths_that_lie_are_refused),
		cmocka_unit_test(only_a_sealed_blob_is_opened_and_no_descriptor_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
