/* SPDX-License-Identifier: Apache-2.0 */
/* test_kallsyms - kernel text becomes (module, offset), and no address is sent */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "collector/kallsyms.h"
#include "shared/region.h"

static const char text[] = "ffffffff81000000 T _text\n"
			   "ffffffff81000000 t startup_64\n"
			   "ffffffff81001000 t alpha\n"
			   "ffffffff81001ff0 T __pfx_beta\n"
			   "ffffffff81002000 T beta\n"
			   "ffffffff82000000 D some_data\n"
			   "not a line\n"
			   "ffffffffc0000100 t mod_one\t[first]\n"
			   "ffffffffc0000000 t mod_low\t[first]\n"
			   "ffffffffc0003000 t other\t[second]\n"
			   "ffffffffc0004000 t mod_late\t[first]\n";

/* Reads all @lines, but seals nothing. */
static void read_lines(struct kallsyms *symbols, const char *lines, uint64_t now)
{
	int fd = tm_region_seal_blob("lines", lines, strlen(lines));
	int r;

	assert_true(fd >= 0);
	assert_int_equal(kallsyms_begin(symbols, now), 0);
	do {
		r = kallsyms_read(symbols, fd);
	} while (r == 0);
	assert_int_equal(r, KALLSYMS_E_END);
	(void)close(fd);
}

static void feed(struct kallsyms *symbols, const char *lines)
{
	memset(symbols, 0, sizeof(*symbols)); /* too large for a second one on the stack */
	symbols->table = TM_REGION_NULL;
	read_lines(symbols, lines, 1);
}

static uint64_t module_of(uint64_t word)
{
	assert_int_equal(word >> TM_FRAME_KIND_SHIFT, TM_FRAME_KERNEL);
	return word >> TM_FRAME_MODULE_SHIFT & TM_FRAME_MODULE_MAX;
}

static uint64_t offset_of(uint64_t word)
{
	return word & TM_FRAME_KOFFSET_MAX;
}

static void addresses_become_module_and_offset(void **state)
{
	static struct kallsyms symbols;
	uint64_t word;

	feed(&symbols, text);
	assert_int_equal(kallsyms_seal(&symbols), 0);
	word = kallsyms_rebase(&symbols, 0xffffffff81002010, 1);
	assert_int_equal(module_of(word), 0);
	assert_int_equal(offset_of(word), 0x2010);
	word = kallsyms_rebase(&symbols, 0xffffffffc0000104, 1);
	assert_int_equal(module_of(word), 1);
	assert_int_equal(offset_of(word), 0x104);
	word = kallsyms_rebase(&symbols, 0xffffffffc0003000, 1);
	assert_int_equal(module_of(word), 2);
	assert_int_equal(offset_of(word), 0);
	/* a module whose code lies on both sides of another keeps one base */
	word = kallsyms_rebase(&symbols, 0xffffffffc0004001, 1);
	assert_int_equal(module_of(word), 1);
	assert_int_equal(offset_of(word), 0x4001);
	assert_int_equal(symbols.unknown, 0);
	kallsyms_deinit(&symbols);
}

static void addresses_outside_are_unknown_and_counted(void **state)
{
	static const uint64_t outside[] = {0, 0xffffffff80ffffff,
					   0xffffffff81002000 + KALLSYMS_TAIL_BYTES, UINT64_MAX};
	static struct kallsyms symbols;

	feed(&symbols, text);
	assert_int_equal(kallsyms_seal(&symbols), 0);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t word = kallsyms_rebase(&symbols, outside[i], 1);

		assert_int_equal(module_of(word), TM_FRAME_MODULE_UNKNOWN);
		assert_int_equal(offset_of(word), 0);
	}
	assert_int_equal(symbols.unknown, 4);
	kallsyms_deinit(&symbols);
}

static void check_table(const struct tm_kernel_table *table, size_t bytes)
{
	const struct tm_kernel_module *modules = (const void *)(table + 1);
	const struct tm_kernel_symbol *symbols = (const void *)(modules + 3);
	const char *names = (const void *)(symbols + 7);

	assert_int_equal(table->magic, TM_KERNEL_MAGIC);
	assert_int_equal(table->modules, 3);
	assert_int_equal(table->symbols,
			 7); /* one name per address; neither padding nor data symbols */
	assert_true(bytes >=
		    (size_t)((const char *)names - (const char *)table) + table->name_bytes);
	assert_string_equal(names + symbols[0].name, "_text"); /* the global one of two names */
	assert_string_equal(names + symbols[1].name, "alpha");
	assert_int_equal(symbols[1].offset, 0x1000);
	assert_string_equal(names + modules[1].name, "first");
	assert_int_equal(modules[1].first_symbol, 3);
	assert_string_equal(names + symbols[3].name, "mod_low");
	assert_int_equal(symbols[5].offset, 0x4000);
	assert_int_equal(symbols[5].module, 1);
	assert_string_equal(names + symbols[6].name, "other");
}

static void table_is_sealed_sorted_and_without_addresses(void **state)
{
	static struct kallsyms symbols;
	const uint8_t *bytes;

	feed(&symbols, text);
	assert_int_equal(kallsyms_seal(&symbols), 0);
	check_table(symbols.table.addr, symbols.table.bytes);
	bytes = symbols.table.addr;
	for (size_t i = 0; i + 4 <= symbols.table.bytes; i++)
		assert_false(memcmp(bytes + i, "\xff\xff\xff\xff", 4) == 0);
	kallsyms_deinit(&symbols);
}

static void symbols_without_addresses_give_an_empty_table(void **state)
{
	static struct kallsyms symbols;
	const struct tm_kernel_table *table;

	feed(&symbols, "0000000000000000 T _text\n0000000000000000 t a\t[m]\n");
	assert_int_equal(symbols.count, 0);
	assert_int_equal(kallsyms_seal(&symbols), 0);
	table = symbols.table.addr;
	assert_int_equal(table->symbols, 0);
	assert_int_equal(module_of(kallsyms_rebase(&symbols, 0xffffffff81000000, 1)),
			 TM_FRAME_MODULE_UNKNOWN);
	kallsyms_deinit(&symbols);
}

static void long_symbol_lists_are_read_to_their_end(void **state)
{
	static struct kallsyms symbols;
	char *many = malloc(400000);
	size_t n = 0;

	assert_non_null(many);
	for (unsigned i = 0; i < 5000; i++)
		n += (size_t)snprintf(many + n, 400000 - n, "%016llx t function_%u\n",
				      0xffffffff81000000ull + i * 16, i);
	feed(&symbols, many);
	assert_int_equal(symbols.count, 5000);
	kallsyms_deinit(&symbols);
	free(many);
}

static void last_line_needs_no_newline_and_overlong_ones_are_left_out(void **state)
{
	static struct kallsyms symbols;
	char line[3 * KALLSYMS_NAME_MAX] = "1 t ";

	memset(line + 4, 'n', sizeof(line) - 5);
	line[sizeof(line) - 1] = '\0';
	feed(&symbols, line);
	assert_int_equal(symbols.count, 0);
	kallsyms_deinit(&symbols);
	feed(&symbols, "ffffffff81000010 t one\nffffffffc0000010 t two\t[mod]");
	assert_int_equal(symbols.count, 2);
	assert_int_equal(symbols.entries[1].module, 1);
	kallsyms_deinit(&symbols);
}

static int parse(const char *line, struct kallsyms_line *symbol)
{
	return kallsyms_parse(line, strlen(line), symbol);
}

static void malformed_lines_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"ffffffff81000000",
		"ffffffff81000000 T ",
		"T _text",
		"ffffffff81000000 T\t",
		"11112222333344445 T name",
		"xyz T nm",
		"ffffffff81000000 T a\t[",
		"ffffffff81000000 T a\t[]",
		"ffffffff81000000 T a\tmodule",
		"ffffffff81000000 T \t[m]",
	};
	struct kallsyms_line symbol;

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(parse(wrong[i], &symbol), -EBADMSG);
	assert_int_equal(parse("1 t a", &symbol), 0);
	assert_int_equal(symbol.address, 1);
	assert_int_equal(symbol.name_bytes, 1);
	assert_int_equal(symbol.module_bytes, 0);
}

/* Parses a symbol whose names have these lengths. Return: as kallsyms_parse(). */
static int parse_long(size_t name_bytes, size_t module_bytes)
{
	struct kallsyms_line symbol;
	char line[1024] = "1 t ", *at = line + 4;

	memset(at, 'n', name_bytes);
	at += name_bytes;
	*at++ = '\t';
	*at++ = '[';
	memset(at, 'm', module_bytes);
	at += module_bytes;
	*at++ = ']';
	return kallsyms_parse(line, (size_t)(at - line), &symbol);
}

static void overlong_names_and_names_with_a_nul_are_refused(void **state)
{
	struct kallsyms_line symbol;

	assert_int_equal(parse_long(KALLSYMS_NAME_MAX - 1, KALLSYMS_MODULE_MAX - 1), 0);
	assert_int_equal(parse_long(KALLSYMS_NAME_MAX, 1), -EBADMSG);
	assert_int_equal(parse_long(1, KALLSYMS_MODULE_MAX), -EBADMSG);
	assert_int_equal(kallsyms_parse("1 t a\0b", 7, &symbol), -EBADMSG);
}

static void line_may_end_with_the_size(void **state)
{
	struct kallsyms_line symbol;

	assert_int_equal(parse("1 t a\t[bpf]\ta+0x0/0x1f4 [bpf]", &symbol), 0);
	assert_int_equal(symbol.bytes, 0x1f4);
	assert_int_equal(symbol.module_bytes, 3);
	assert_int_equal(parse("1 t a\t[bpf]\t0xffffffffc0001000", &symbol), 0);
	assert_int_equal(symbol.bytes, 0);
	assert_int_equal(parse("1 t a\t[bpf]\tb+0x0/0x123456789", &symbol), 0);
	assert_int_equal(symbol.bytes, 0);
	assert_int_equal(parse("1 t a\t[bpf]\t", &symbol), 0);
	assert_int_equal(parse("1 t a\t[bpf\t]", &symbol), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_become_module_and_offset),
		cmocka_unit_test(addresses_outside_are_unknown_and_counted),
		cmocka_unit_test(table_is_sealed_sorted_and_without_addresses),
		cmocka_unit_test(symbols_without_addresses_give_an_empty_table),
		cmocka_unit_test(long_symbol_lists_are_read_to_their_end),
		cmocka_unit_test(last_line_needs_no_newline_and_overlong_ones_are_left_out),
		cmocka_unit_test(malformed_lines_are_refused),
		cmocka_unit_test(line_may_end_with_the_size),
		cmocka_unit_test(overlong_names_and_names_with_a_nul_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
