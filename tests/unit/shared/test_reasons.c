/* SPDX-License-Identifier: Apache-2.0 */
/* test_reasons - every reason has one lower-case word, and a number from a peer cannot leave the
 * list */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shared/event.h"
#include "shared/reasons.h"
#include "shared/result.h"
#include "shared/wire.h"

typedef const char *(*word_fn)(unsigned reason);

static const struct {
	word_fn word;
	unsigned count;
} lists[] = {{tm_reasons_drop, TM_DROP_N},
	     {tm_reasons_stop, TM_STOP_N},
	     {tm_reasons_unresolved, TM_UNRESOLVED_N},
	     {tm_reasons_parse, TM_PARSE_N},
	     {tm_reasons_no_file, TM_NO_FILE_N},
	     {tm_reasons_debuginfod, TM_DEBUGINFOD_N},
	     {tm_reasons_export, TM_EXPORT_N}};

#define LISTS (sizeof(lists) / sizeof(lists[0]))

static void names_are_lower_case_and_distinct(void **state)
{
	size_t list;
	unsigned i, j;

	for (list = 0; list < LISTS; list++) {
		for (i = 0; i < lists[list].count; i++) {
			const char *word = lists[list].word(i);

			assert_true(strlen(word) > 2);
			assert_int_equal(strspn(word, "abcdefghijklmnopqrstuvwxyz_"), strlen(word));
			assert_string_not_equal(word, "unknown");
			for (j = 0; j < i; j++)
				assert_string_not_equal(word, lists[list].word(j));
		}
	}
}

static void numbers_out_of_range_are_unknown(void **state)
{
	size_t list;

	for (list = 0; list < LISTS; list++) {
		assert_string_equal(lists[list].word(lists[list].count), "unknown");
		assert_string_equal(lists[list].word(~0u), "unknown");
	}
}

static void each_number_has_its_own_name(void **state)
{
	assert_string_equal(tm_reasons_drop(TM_DROP_RING_FULL), "ring_full");
	assert_string_equal(tm_reasons_drop(TM_DROP_SYMBOLIZER_DIED), "symbolizer_died");
	assert_string_equal(tm_reasons_stop(TM_STOP_NONE), "none");
	assert_string_equal(tm_reasons_stop(TM_STOP_KERNEL_DEPTH), "kernel_depth");
	assert_string_equal(tm_reasons_parse(TM_PARSE_NO_FILE), "no_file");
	assert_string_equal(tm_reasons_unresolved(TM_UNRESOLVED_OFFSET), "offset");
	assert_string_equal(tm_reasons_no_file(TM_NO_FILE_DENIED), "no_permission");
	assert_string_equal(tm_reasons_debuginfod(TM_DEBUGINFOD_REFUSED), "refused");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_lower_case_and_distinct),
		cmocka_unit_test(numbers_out_of_range_are_unknown),
		cmocka_unit_test(each_number_has_its_own_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
