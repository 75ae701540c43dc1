/* SPDX-License-Identifier: Apache-2.0 */
/* test_table - what a person reads at the end */

#include "tests/unit/cli/check.h"

#include <stdlib.h>
#include <string.h>

#include "cli/table.h"

static char *text;
static size_t bytes;

static void function_rows_are_shares_of_what_was_exported(void **state)
{
	struct tm_top rows[2] = {{.self = 50, .total = 75, .name = "hot", .file = "prog"},
				 {.self = 1, .total = 1, .name = "prog+0x10"}};
	FILE *out = open_memstream(&text, &bytes);

	table_print(out, rows, 2, 200);
	(void)fclose(out);
	assert_string_equal(text, "    self    total  function\n"
				  "  25.0 %   37.5 %  hot  (prog)\n"
				  "   0.5 %    0.5 %  prog+0x10\n");
	free(text);
}

static void nothing_exported_prints_no_table_and_divides_by_nothing(void **state)
{
	struct tm_top row = {.self = 1, .total = 1, .name = "hot"};
	FILE *out = open_memstream(&text, &bytes);

	table_print(out, &row, 0, 0);
	(void)fflush(out);
	assert_int_equal(bytes, 0);
	table_print(out, &row, 1, 0);
	(void)fclose(out);
	assert_non_null(strstr(text, "0.0 %"));
	free(text);
}

static void completeness_is_one_line_with_each_reason_that_occurred(void **state)
{
	struct balance balance = {
		.taken = 100, .exported = 90, .dropped = 10, .cut = 7, .not_run = 2};
	struct tm_result result = {.frames = 500, .unnamed_frames = 20};
	FILE *out = open_memstream(&text, &bytes);

	balance.drops[TM_DROP_RING_FULL] = 8;
	balance.drops[TM_DROP_MEMORY] = 2;
	balance.truncated[TM_STOP_NONE] = 83;
	balance.truncated[TM_STOP_FRAME_POINTER] = 7;
	table_print_balance(out, &balance, &result);
	(void)fclose(out);
	assert_string_equal(text, "samples: taken 100, exported 90, dropped 10 (ring_full 8, "
				  "memory 2), not run 2, truncated 7 (frame_pointer 7), "
				  "unnamed frames 20 of 500\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(function_rows_are_shares_of_what_was_exported),
		cmocka_unit_test(nothing_exported_prints_no_table_and_divides_by_nothing),
		cmocka_unit_test(completeness_is_one_line_with_each_reason_that_occurred),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
