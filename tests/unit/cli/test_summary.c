/* SPDX-License-Identifier: Apache-2.0 */
/* test_summary - the summary is valid JSON with every field */

#include "tests/unit/cli/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/summary.h"
#include "shared/reasons.h"

static char *text_of(const struct summary *summary)
{
	static char *text; /* static, since gcc 12 warns wrongly about a local one */
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
	struct summary summary = {.hz = 99,
				  .duration_ns = 10000000001ull,
				  .idle_ns = 3000000000ull,
				  .command_status = 7};
	char *text;

	summary.balance.of[ACCOUNTING_ON_CPU].taken = 18446744073709551615ull;
	summary.balance.of[ACCOUNTING_ON_CPU].drops[TM_DROP_SHARED_FULL] = 3;
	summary.balance.truncated[TM_STOP_FRAME_POINTER] = 4;
	summary.collector_cpu_ns = 12345678;
	summary.parser_rss = 4096;
	summary.debuginfod_rss = 8192;
	summary.counts.bpf_ns = 1500000000;
	summary.cpu_max_ppm = 12500;
	summary.counts.weight_ns[3] = 2500000000;
	summary.result.on_cpu_ns = 4000000007;
	text = text_of(&summary);
	expect(text, "\"taken\": 18446744073709551615,");
	expect(text, "\"shared_full\": 3");
	expect(text, "\"frame_pointer\": 4");
	expect(text, "\"seconds\": 10.000000001,");
	expect(text, "\"idle_seconds\": 3.000000000,");
	expect(text, "\"hz\": 99,");
	expect(text, "\"cpu_max\": 1.2500,");
	expect(text, "\"8\": 2.500000000, \"16\": 0.000000000,");
	expect(text, "\"on_cpu_seconds\": 4.000000007,");
	expect(text, "\"collector\": 0.012345678");
	expect(text, "\"parser\": 4096, \"debuginfod\": 8192, \"exporter\": 0, \"spool\": 0}");
	expect(text, "\"bpf_seconds\": 1.500000000,");
	expect(text, "\"command_status\": 7\n}\n");
	free(text);
}

static void unknown_values_are_null(void **state)
{
	struct summary summary = {.command_status = -1};
	char *text = text_of(&summary);

	expect(text, "\"command_status\": null\n");
	free(text);
}

static void each_reason_is_a_key_and_none_is_not(void **state)
{
	struct summary summary = {.command_status = -1};
	char *text = text_of(&summary), key[64];
	unsigned i;

	for (i = 0; i < TM_DROP_N; i++) {
		(void)snprintf(key, sizeof(key), "\"%s\": 0", tm_reasons_drop(i));
		expect(text, key);
	}
	for (i = TM_STOP_NONE + 1; i < TM_STOP_N; i++) {
		(void)snprintf(key, sizeof(key), "\"%s\": 0", tm_reasons_stop(i));
		expect(text, key);
	}
	for (i = 0; i < TM_UNNAMED_N; i++) {
		(void)snprintf(key, sizeof(key), "\"%s\": 0", tm_reasons_unnamed(i));
		expect(text, key);
	}
	for (i = 0; i < TM_UNRESOLVED_N; i++) {
		(void)snprintf(key, sizeof(key), "\"%s\": 0", tm_reasons_unresolved(i));
		expect(text, key);
	}
	expect(text, "\"files_not_opened\": {\"unanswered\": 0, ");
	for (i = 0; i < TM_NO_FILE_N; i++) {
		(void)snprintf(key, sizeof(key), "\"%s\": 0", tm_reasons_no_file(i));
		expect(text, key);
	}
	assert_null(strstr(text, "\"none\""));
	free(text);
}

static void collector_counters_are_written(void **state)
{
	struct summary summary = {
		.command_status = -1,
		.cpus_not_sampled = 1,
		.counts = {.bpf = {.announce_lost = 2,
				   .processes_full = 3,
				   .files_full = 4,
				   .files_limited = 14,
				   .thinned = 15,
				   .lookups = 11,
				   .lookup_cached = 12,
				   .lookup_retries = 13},
			   .files_retired = 5,
			   .attached = 6,
			   .processes_known = 7,
			   .files_known = 8,
			   .lags = {[0] = 999, [47] = 1},
			   .lag_max_ns = 2000000010},
	};
	char *text = text_of(&summary);

	expect(text, "\"cpus_not_sampled\": 1,");
	expect(text, "\"announce_lost\": 2,");
	expect(text, "\"processes_full\": 3,");
	expect(text, "\"files_full\": 4,");
	expect(text, "\"files_limited\": 14,");
	expect(text, "\"thinned\": 15,");
	expect(text, "\"files_retired\": 5,");
	expect(text, "\"attached\": 6,");
	expect(text, "\"lookups\": 11,");
	expect(text, "\"lookup_cached\": 12,");
	expect(text, "\"lookup_retries\": 13,");
	expect(text, "\"processes_known\": 7,");
	expect(text, "\"files_known\": 8,");
	expect(text, "\"watermark_lag_seconds\": {\"p99\": 0.000250000, \"max\": 2.000000010},");
	expect(text, "\"report\": null,");
	free(text);
}

static void unwinding_counters_are_written(void **state)
{
	struct summary summary = {
		.command_status = -1,
		.parsers_started = 16,
		.result =
			{.tables_made = 1,
			 .tables_empty = 2,
			 .tables_cached = 3,
			 .cache_refused = 4,
			 .symbols_cached = 19,
			 .cache_late = 20,
			 .cache_unwritten = 21,
			 .parsers_lost = 12,
			 .parse_failures = {[TM_PARSE_DEADLINE] = 14, [TM_PARSE_NO_PARSER] = 15},
			 .debuginfod = {[TM_DEBUGINFOD_ASKED] = 17, [TM_DEBUGINFOD_REFUSED] = 18}},
		.counts = {.tables = 5,
			   .table_bytes = 6,
			   .installs = {.installed = 7,
					.refused = 8,
					.evicted = 9,
					.failed = 13,
					.ahead = 14,
					.ahead_refused = 15},
			   .bpf = {.steps_by_table = 10, .steps_by_frame_pointer = 11}},
	};
	char *text = text_of(&summary);

	expect(text, "\"tables_made\": 1,");
	expect(text, "\"tables_empty\": 2,");
	expect(text, "\"tables_cached\": 3,");
	expect(text, "\"cache_refused\": 4,");
	expect(text, "\"symbols_cached\": 19,");
	expect(text, "\"cache_late\": 20,");
	expect(text, "\"cache_unwritten\": 21,");
	expect(text, "\"tables\": 5,");
	expect(text, "\"table_bytes\": 6,");
	expect(text, "\"tables_installed\": 7,");
	expect(text, "\"tables_refused\": 8,");
	expect(text, "\"tables_evicted\": 9,");
	expect(text, "\"parsers_started\": 16,");
	expect(text, "\"parsers_lost\": 12,");
	expect(text, "\"tables_failed\": 13,");
	expect(text, "\"tables_ahead\": 14,");
	expect(text, "\"tables_ahead_refused\": 15,");
	expect(text, "\"debuginfod\": {\"asked\": 17, \"found\": 0, \"missing\": 0, "
		     "\"too_large\": 0, \"failed\": 0, \"refused\": 18},");
	expect(text, "\"parse_failures\": {\"deadline\": 14, \"crashed\": 0,");
	expect(text, "\"no_parser\": 15, \"no_file\": 0, \"budget\": 0},");
	expect(text, "\"steps_by_table\": 10,");
	expect(text, "\"steps_by_frame_pointer\": 11,");
	free(text);
}

static void requests_by_otlp_are_counted_where_reports_are_sent(void **state)
{
	struct summary summary = {
		.result.export = {.requests = {[TM_EXPORT_REFUSED] = 3},
				  .samples = {[TM_EXPORT_REFUSED] = 40},
				  .rejected = 5,
				  .bytes = 6},
	};
	char *text = text_of(&summary);

	assert_null(strstr(text, "otlp"));
	free(text);
	summary.otlp = true;
	text = text_of(&summary);
	expect(text, "\"otlp\": {\n    \"requests\": {\"delivered\": 0, \"refused\": 3, ");
	expect(text, "\"samples\": {\"delivered\": 0, \"refused\": 40, ");
	expect(text, "\"rejected\": 5, \"bytes\": 6\n");
	free(text);
}

static void one_report_of_several_has_its_number_and_the_whole(void **state)
{
	struct summary summary = {
		.command_status = -1,
		.report = 3,
		.whole_ns = 1500000000,
		.whole = {{.taken = 30, .exported = 28, .dropped = 2}},
	};
	char *text = text_of(&summary);

	expect(text, "\"report\": 3,");
	expect(text, "\"recording\": {\"seconds\": 1.500000000, \"taken\": 30, "
		     "\"exported\": 28, \"dropped\": 2},");
	free(text);
}

static void off_cpu_is_there_only_if_it_was_recorded(void **state)
{
	struct summary summary = {
		.command_status = -1,
		.balance = {.of = {[ACCOUNTING_OFF_CPU] = {.taken = 7, .exported = 4},
				   [ACCOUNTING_OFF_CPU_NS] = {.taken = 18014398509481985ull,
							      .exported = 5000000001ull}}},
		.counts = {.off_cpu = {.seen = {.times = 11,
						.times_ns = 12,
						.untracked = 13,
						.unseen_ns = 29,
						.wakers_lost = 2},
				       .stratum_ns = 14}},
		.result = {.off_cpu = {.in_progress = 15,
				       .in_progress_ns = 16,
				       .woken = 27,
				       .wakers_lost = 28}},
		.whole = {[ACCOUNTING_OFF_CPU] = {.taken = 21, .exported = 22, .dropped = 23},
			  [ACCOUNTING_OFF_CPU_NS] = {.taken = 24, .exported = 25, .dropped = 26}},
	};
	char *text = text_of(&summary);

	assert_null(strstr(text, "off_cpu"));
	free(text);
	summary.off_cpu = true;
	summary.balance.of[ACCOUNTING_OFF_CPU].drops[TM_DROP_SHARED_FULL] = 3;
	summary.balance.of[ACCOUNTING_OFF_CPU_NS].drops[TM_DROP_SHARED_FULL] = 3000000003ull;
	text = text_of(&summary);
	expect(text, "  \"off_cpu\": {\n    \"taken\": 7, \"exported\": 4, \"dropped\": {");
	expect(text, "\"shared_full\": 3,");
	expect(text, "\"taken_ns\": 18014398509481985, \"exported_ns\": 5000000001, "
		     "\"dropped_ns\": {");
	expect(text, "\"shared_full\": 3000000003,");
	expect(text, "\"observed\": 11, \"observed_ns\": 12, \"untracked\": 13, "
		     "\"waking_unseen_ns\": 29, \"stratum_ns\": 14, "
		     "\"in_progress\": 15, \"in_progress_ns\": 16, "
		     "\"wakers\": 27, \"wakers_lost\": 30,");
	expect(text, "\"recording\": {\"taken\": 21, \"exported\": 22, \"dropped\": 23, "
		     "\"taken_ns\": 24, \"exported_ns\": 25, \"dropped_ns\": 26}\n  },\n");
	free(text);
}

static void braces_close_and_no_comma_is_last(void **state)
{
	struct summary summary = {.command_status = -1, .off_cpu = true};
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
		cmocka_unit_test(unknown_values_are_null),
		cmocka_unit_test(each_reason_is_a_key_and_none_is_not),
		cmocka_unit_test(collector_counters_are_written),
		cmocka_unit_test(unwinding_counters_are_written),
		cmocka_unit_test(requests_by_otlp_are_counted_where_reports_are_sent),
		cmocka_unit_test(one_report_of_several_has_its_number_and_the_whole),
		cmocka_unit_test(off_cpu_is_there_only_if_it_was_recorded),
		cmocka_unit_test(braces_close_and_no_comma_is_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
