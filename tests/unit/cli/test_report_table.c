/* SPDX-License-Identifier: Apache-2.0 */
/* test_report_table - the table of functions and the completeness line at the end of a recording */

#include "tests/unit/cli/check.h"

#include <stdlib.h>
#include <string.h>

#include "cli/report_table.h"

static char *text;
static size_t bytes;

static void function_rows_are_shares_of_what_was_exported(void **state)
{
	struct tm_top rows[2] = {{.self = 50, .total = 75, .name = "hot", .file = "prog"},
				 {.self = 1, .total = 1, .name = "prog+0x10"}};
	FILE *out = open_memstream(&text, &bytes);

	report_table_print(out, rows, 2, 200);
	(void)fclose(out);
	assert_string_equal(text, "    self    total  function\n"
				  "  25.0 %   37.5 %  hot  (prog)\n"
				  "   0.5 %    0.5 %  prog+0x10\n");
	free(text);
}

static void without_exported_samples_there_is_no_table(void **state)
{
	struct tm_top row = {.self = 1, .total = 1, .name = "hot"};
	FILE *out = open_memstream(&text, &bytes);

	report_table_print(out, &row, 0, 0);
	(void)fflush(out);
	assert_int_equal(bytes, 0);
	report_table_print(out, &row, 1, 0);
	(void)fclose(out);
	assert_non_null(strstr(text, "0.0 %"));
	free(text);
}

static void completeness_is_one_line_with_each_reason_that_occurred(void **state)
{
	struct summary summary = {
		.balance = {.of = {{.taken = 100, .exported = 90, .dropped = 10}},
			    .cut = 7,
			    .not_run = 2},
		.result = {.frames = 500, .unnamed_frames = 20, .merged = 3},
		.counts = {.attached = 1,
			   .cpus = 2,
			   .processes_known = 9,
			   .files_known = 9,
			   .tables = 8,
			   .installs.installed = 9},
	};
	FILE *out = open_memstream(&text, &bytes);

	summary.balance.of[ACCOUNTING_ON_CPU].drops[TM_DROP_RING_FULL] = 8;
	summary.balance.of[ACCOUNTING_ON_CPU].drops[TM_DROP_MEMORY] = 2;
	summary.balance.truncated[TM_STOP_NONE] = 83;
	summary.balance.truncated[TM_STOP_FRAME_POINTER] = 7;
	summary.result.unnamed[TM_UNNAMED_NO_SYMBOLS] = 19;
	summary.result.unnamed[TM_UNNAMED_NO_MAPPING] = 1;
	report_table_print_completeness(out, &summary);
	(void)fclose(out);
	assert_string_equal(text, "samples: taken 100, exported 90, dropped 10 (ring_full 8, "
				  "memory 2), not run 2, truncated 7 (frame_pointer 7), "
				  "unnamed frames 20 of 500 (no_symbols 19, no_mapping 1), "
				  "3 stacks merged for want of memory\n");
	free(text);
}

static void lowered_rate_is_said_with_how_long_and_how_far(void **state)
{
	struct summary summary = {0};
	FILE *out = open_memstream(&text, &bytes);

	summary.counts.weight_ns[0] = 7000000000;
	summary.counts.weight_ns[1] = 3000000000;
	summary.counts.weight_ns[10] = 500000000;
	report_table_print_completeness(out, &summary);
	(void)fclose(out);
	assert_non_null(
		strstr(text, ", not run 0, rate lowered for 3.5 s, at most to 1/1024, truncated"));
	free(text);
}

static void files_that_were_not_opened_are_counted_by_reason(void **state)
{
	struct summary summary = {0};
	FILE *out = open_memstream(&text, &bytes);

	assert_int_equal(report_table_unopened(&summary.result), 0);
	summary.result.unopened[TM_NO_FILE_GONE] = 2;
	summary.result.unopened[TM_NO_FILE_DENIED] = 3;
	assert_int_equal(report_table_unopened(&summary.result), 5);
	report_table_print_completeness(out, &summary);
	(void)fclose(out);
	assert_non_null(strstr(text, ", unnamed frames 0 of 0, files not opened 5 (gone 2, "
				     "no_permission 3)\n"));
	free(text);
}

static void losses_other_than_samples_are_printed_if_there_are_any(void **state)
{
	const struct summary summary = {
		.balance = {.not_run = 12},
		.idle_ns = 160000000,
		.cpus_not_sampled = 1,
		.counts = {.bpf = {.announce_lost = 2,
				   .processes_full = 3,
				   .files_full = 4,
				   .files_limited = 14,
				   .thinned = 15},
			   .files_retired = 5,
			   .tables = 70,
			   .installs = {.installed = 90, .refused = 6, .evicted = 7},
			   .attached = 3},
	};
	FILE *out = open_memstream(&text, &bytes);

	report_table_print_completeness(out, &summary);
	(void)fclose(out);
	assert_string_equal(text,
			    "samples: taken 0, exported 0, dropped 0, not run 12 "
			    "(CPUs idle for 0.2 s), 15 hits thinned, truncated 0, "
			    "unnamed frames 0 of 0, 1 CPUs not sampled, 2 announcements lost, "
			    "3 times the process table was full, "
			    "4 times the file table was full, "
			    "14 times a new file was beyond its owner's share, "
			    "5 file numbers reused, 6 unwind tables refused, "
			    "7 unwind tables evicted, 2 symbolizers died\n");
	free(text);
}

static void what_became_of_requests_is_a_line(void **state)
{
	const struct tm_export_result result = {
		.requests = {[TM_EXPORT_DELIVERED] = 12, [TM_EXPORT_EXPIRED] = 2},
		.samples = {[TM_EXPORT_DELIVERED] = 1200, [TM_EXPORT_EXPIRED] = 30},
		.rejected = 5,
	};
	const struct tm_export_result whole = {.requests = {3}, .samples = {9}};
	const struct tm_export_result kept = {
		.requests = {[TM_EXPORT_SPOOLED] = 4, [TM_EXPORT_SPOOL_LOST] = 1},
		.samples = {[TM_EXPORT_SPOOLED] = 40, [TM_EXPORT_SPOOL_LOST] = 2},
		.replayed = 3,
	};
	FILE *out = open_memstream(&text, &bytes);

	report_table_print_export(out, &result);
	report_table_print_export(out, &whole);
	report_table_print_spool(out, &kept);
	(void)fclose(out);
	assert_string_equal(text, "OTLP: delivered 12 of 14 requests with 1200 of 1230 samples "
				  "(expired 2), 5 profiles rejected by the server\n"
				  "OTLP: delivered 3 of 3 requests with 9 of 9 samples\n"
				  "spool: kept 4 of 5 requests with 40 of 42 samples "
				  "(spool_lost 1)\n");
	free(text);
}

static void off_cpu_is_a_line_of_stacks_and_times(void **state)
{
	struct summary summary = {
		.balance = {.of = {[ACCOUNTING_OFF_CPU] = {.taken = 9120,
							   .exported = 9100,
							   .dropped = 20},
				   [ACCOUNTING_OFF_CPU_NS] = {.taken = 41200000000,
							      .exported = 41000000000,
							      .dropped = 200000000}}},
		.counts = {.off_cpu = {.seen.times_ns = 41500000000, .stratum_ns = 1 << 20}},
		.result = {.off_cpu = {.in_progress = 30, .in_progress_ns = 290000000000}},
	};
	FILE *out = open_memstream(&text, &bytes);

	summary.balance.of[ACCOUNTING_OFF_CPU].drops[TM_DROP_RING_FULL] = 20;
	report_table_print_off_cpu(out, &summary);
	(void)fclose(out);
	assert_string_equal(text, "off-CPU: taken 9120 stacks for 41.2 s of 41.5 s observed, "
				  "exported 9100 for 41.0 s, dropped 20 for 0.2 s (ring_full 20), "
				  "in progress 30 for 290.0 s, times below 1.049 ms sampled by "
				  "chance\n");
	free(text);
}

static void threads_without_a_state_are_printed_if_there_are_any(void **state)
{
	const struct summary summary = {
		.counts = {.off_cpu = {.seen = {.untracked = 3, .unseen_ns = 250000000},
				       .stratum_ns = 1}}};
	FILE *out = open_memstream(&text, &bytes);

	report_table_print_off_cpu(out, &summary);
	(void)fclose(out);
	assert_string_equal(text, "off-CPU: taken 0 stacks for 0.0 s of 0.0 s observed, exported "
				  "0 for 0.0 s, dropped 0 for 0.0 s, in progress 0 for 0.0 s, 3 "
				  "context switches of threads without a state, 0.2 s of "
				  "sleep whose end was not seen\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(function_rows_are_shares_of_what_was_exported),
		cmocka_unit_test(without_exported_samples_there_is_no_table),
		cmocka_unit_test(completeness_is_one_line_with_each_reason_that_occurred),
		cmocka_unit_test(lowered_rate_is_said_with_how_long_and_how_far),
		cmocka_unit_test(files_that_were_not_opened_are_counted_by_reason),
		cmocka_unit_test(losses_other_than_samples_are_printed_if_there_are_any),
		cmocka_unit_test(what_became_of_requests_is_a_line),
		cmocka_unit_test(off_cpu_is_a_line_of_stacks_and_times),
		cmocka_unit_test(threads_without_a_state_are_printed_if_there_are_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
