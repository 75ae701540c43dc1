/* SPDX-License-Identifier: Apache-2.0 */
/* test_summary - the JSON text of the summary */

#include "tests/unit/cli/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/summary.h"
#include "shared/words.h"

static char *text_of(const struct summary *summary)
{
	char *text = NULL;
	size_t bytes = 0;

	assert_int_equal(summary_text(summary, &text, &bytes), 0);
	assert_int_equal(strlen(text), bytes);
	return text;
}

static void expect(const char *text, const char *part)
{
	assert_non_null(strstr(text, part));
}

static void numbers_and_fractions(void **state)
{
	struct summary summary = {.hz = 99, .duration_ns = 10000000001ull, .command_status = 7};
	char *text;

	summary.balance.taken = 18446744073709551615ull;
	summary.balance.drops[TM_DROP_SHARED_FULL] = 3;
	summary.balance.truncated[TM_STOP_FRAME_POINTER] = 4;
	summary.collector_cpu_ns = 12345678;
	summary.parser_rss = 4096;
	summary.bpf_time_known = 1;
	summary.counts.bpf_ns = 1500000000;
	text = text_of(&summary);
	expect(text, "\"taken\": 18446744073709551615,");
	expect(text, "\"shared_full\": 3");
	expect(text, "\"frame_pointer\": 4");
	expect(text, "\"seconds\": 10.000000001,");
	expect(text, "\"hz\": 99,");
	expect(text, "\"collector\": 0.012345678");
	expect(text, "\"parser\": 4096}");
	expect(text, "\"bpf_seconds\": 1.500000000,");
	expect(text, "\"command_status\": 7\n}\n");
	free(text);
}

static void what_is_not_known_is_null(void **state)
{
	struct summary summary = {.command_status = -1};
	char *text = text_of(&summary);

	expect(text, "\"bpf_seconds\": null,");
	expect(text, "\"command_status\": null\n");
	free(text);
}

static void each_reason_is_a_key_and_none_is_not(void **state)
{
	struct summary summary = {.command_status = -1};
	char *text = text_of(&summary), key[64];
	unsigned i;

	for (i = 0; i < TM_DROP_N; i++) {
		(void)snprintf(key, sizeof(key), "\"%s\": 0", tm_drop_word(i));
		expect(text, key);
	}
	for (i = TM_STOP_NONE + 1; i < TM_STOP_N; i++) {
		(void)snprintf(key, sizeof(key), "\"%s\": 0", tm_stop_word(i));
		expect(text, key);
	}
	for (i = 0; i < TM_UNRESOLVED_N; i++) {
		(void)snprintf(key, sizeof(key), "\"%s\": 0", tm_unresolved_word(i));
		expect(text, key);
	}
	assert_null(strstr(text, "\"none\""));
	free(text);
}

static void braces_close_and_no_comma_is_last(void **state)
{
	struct summary summary = {.command_status = -1};
	char *text = text_of(&summary), *at;
	int depth = 0;

	for (at = text; *at != '\0'; at++) {
		depth += *at == '{';
		depth -= *at == '}';
		assert_true(depth >= 0);
		if (*at == ',')
			assert_int_not_equal(at[1 + strspn(at + 1, " \n")], '}');
	}
	assert_int_equal(depth, 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_and_fractions),
		cmocka_unit_test(what_is_not_known_is_null),
		cmocka_unit_test(each_reason_is_a_key_and_none_is_not),
		cmocka_unit_test(braces_close_and_no_comma_is_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
