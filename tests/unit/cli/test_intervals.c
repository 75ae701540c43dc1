/* SPDX-License-Identifier: Apache-2.0 */
/* test_intervals - reports at intervals, with fake programs: files, numbers, sums, failures */

#include <poll.h>

#include "tests/unit/cli/fake_programs.h"
#include "tests/unit/cli/test_folder.h"

#include "cli/exit_code.h"
#include "cli/report.h"

#define EVERY_NS  20000000ull
#define EXPORTED  30 /* by each report but the last, which also drops one sample */
#define BETWEEN   2
#define WHOLE     TAKEN
#define LAST      (WHOLE - BETWEEN * (EXPORTED + 1))
#define FULL_DISK 2 /* the number of the report whose file cannot be written, in the test of that */

static struct summary last_summary;
static int written[OPTIONS_OUTPUTS_MAX]; /* in the fake symbolizer: where it writes */

/* --- what the fake programs do --- */

static void begin_symbolizer(int control)
{
	size_t i;

	for (i = 0; i < session.intervals.current.count; i++)
		written[i] = session.intervals.current.items[i].fd;
	send_kind(control, TM_CONTROL_READY, 0);
}

/* Sends one report: an OUTPUT message for each output, then the result. */
static void report(int control, unsigned number, uint64_t exported, int code)
{
	struct tm_control message = {.kind = TM_CONTROL_OUTPUT};
	struct tm_result *result;
	size_t i;

	for (i = 0; i < options.output_count; i++) {
		(void)dprintf(written[i], "report %u of %zu\n", number, i);
		written[i] = -1; /* each descriptor serves one report */
		message.value = i;
		message.code = i == 0 ? code : 0;
		send_message(control, &message);
	}
	send_counts(control, exported + 1);
	message = (struct tm_control){.kind = TM_CONTROL_RESULT};
	result = tm_result_body(&message);
	result->exported = exported;
	result->drops[TM_DROP_MEMORY] = 1;
	result->off_cpu.exported = waits * exported;
	result->off_cpu.exported_ns = 1000 * waits * exported;
	result->off_cpu.drops[TM_DROP_MEMORY] = waits;
	result->off_cpu.drops_ns[TM_DROP_MEMORY] = 1000 * waits;
	send_message(control, &message);
}

/* Takes OUTPUT_FILE messages until a FLUSH. */
static void await_flush(int control)
{
	struct tm_control message;

	do {
		int fd = -1;

		if (tm_fdpass_recv(control, &message, sizeof(message), &fd, 0) != 0)
			_exit(9);
		if (message.kind == TM_CONTROL_OUTPUT_FILE && message.value < OPTIONS_OUTPUTS_MAX)
			written[message.value] = fd;
	} while (message.kind != TM_CONTROL_FLUSH);
}

/* The files of the next report come right behind a FLUSH. */
static void await_files(int control)
{
	size_t i;

	for (i = 0; i < options.output_count; i++) {
		struct tm_control message;
		int fd = -1;

		if (tm_fdpass_recv(control, &message, sizeof(message), &fd, 0) != 0 ||
		    message.kind != TM_CONTROL_OUTPUT_FILE || message.value != i)
			_exit(9);
		written[i] = fd;
	}
}

static void report_between(int control, unsigned number, int code)
{
	await_flush(control);
	report(control, number, EXPORTED, code);
	await_files(control);
	send_kind(control, TM_CONTROL_FLUSHED, 0);
}

static void end_symbolizer(int control)
{
	await_other();
	report(control, BETWEEN + 1, LAST - 1, 0);
	send_kind(control, TM_CONTROL_DONE, 0);
}

static void symbolizer_reports(int control)
{
	unsigned number;

	begin_symbolizer(control);
	for (number = 1; number <= BETWEEN; number++)
		report_between(control, number, 0);
	(void)kill(getppid(), SIGINT);
	end_symbolizer(control);
}

static void symbolizer_fills_the_disk(int control)
{
	unsigned number;

	begin_symbolizer(control);
	for (number = 1; number <= BETWEEN; number++)
		report_between(control, number, number == FULL_DISK ? -ENOSPC : 0);
	(void)kill(getppid(), SIGINT);
	end_symbolizer(control);
}

static void symbolizer_dies_reporting(int control)
{
	begin_symbolizer(control);
	report_between(control, 1, 0);
	await_flush(control);
	(void)raise(SIGKILL);
}

static void symbolizer_sends_flushed_unasked(int control)
{
	begin_symbolizer(control);
	send_kind(control, TM_CONTROL_FLUSHED, 0);
	report_between(control, 1, 0);
	send_kind(control, TM_CONTROL_FLUSHED, 0);
	report_between(control, 2, 0);
	(void)kill(getppid(), SIGINT);
	end_symbolizer(control);
}

static void collector_goes_on(int control)
{
	begin_collector(control);
	end_collector(control);
}

/* STOP comes when the symbolizer dies, too. */
static void collector_releases_symbolizer(int control)
{
	begin_collector(control);
	(void)close(link_ends[1]);
	end_collector(control);
}

/* --- the recording --- */

/* Return: exit_code of the recording and its files. */
static int record(void (*collector)(int), void (*symbolizer)(int))
{
	int r, stored;

	options = (struct options){.hz = 99, .every_ns = EVERY_NS, .output_count = 2};
	options.off_cpu.on = waits > 0;
	options.outputs[0] = (struct options_output){test_folder_path("x.folded"), FORMAT_FOLDED};
	options.outputs[1] = (struct options_output){test_folder_path("x.html"), FORMAT_HTML};
	options.summary = test_folder_path("x.json");
	session_init(&session, &options, signals);
	assert_int_equal(outputs_open(&session.intervals.current, NULL, &options, 1), 0);
	r = record_with(collector, symbolizer);
	report_make(&last_summary, &session, REPORT_LAST);
	stored = outputs_store(&session.intervals.current, &session.output_results, &last_summary);
	if (r == 0)
		r = intervals_exit_code(&session.intervals, stored);
	session_deinit(&session);
	return r;
}

/* Compares the file with @text and removes it. */
static void expect(const char *name, const char *text)
{
	char read[8192] = "";
	FILE *file = fopen(test_folder_path(name), "r");

	if (!file)
		fail_msg("%s does not exist", name);
	assert_true(fread(read, 1, sizeof(read) - 1, file) > 0);
	(void)fclose(file);
	if (!strstr(read, text))
		fail_msg("%s holds %s", name, read);
	assert_int_equal(unlink(test_folder_path(name)), 0);
}

static void expect_outputs(unsigned report)
{
	char name[32], text[32];

	(void)snprintf(name, sizeof(name), "x.%04u.folded", report);
	(void)snprintf(text, sizeof(text), "report %u of 0", report);
	expect(name, text);
	(void)snprintf(name, sizeof(name), "x.%04u.html", report);
	(void)snprintf(text, sizeof(text), "report %u of 1", report);
	expect(name, text);
}

/* --- tests --- */

static void each_report_has_its_numbered_files_and_all_add_up(void **state)
{
	assert_int_equal(record(collector_goes_on, symbolizer_reports), 0);
	assert_int_equal(test_folder_count(), 9);
	expect_outputs(1);
	expect("x.0001.json", "\"taken\": 31,");
	expect_outputs(2);
	expect("x.0002.json", "\"report\": 2,");
	expect_outputs(3);
	expect("x.0003.json", "\"taken\": 100, \"exported\": 97, \"dropped\": 3}");
	assert_int_equal(last_summary.balance.of[ACCOUNTING_ON_CPU].taken, LAST);
	assert_true(accounting_balances(&last_summary.balance));
	assert_int_equal(last_summary.report, BETWEEN + 1);
	assert_int_equal(last_summary.whole_ns, session.ended_ns - session.started_ns);
	assert_int_equal(last_summary.whole[ACCOUNTING_ON_CPU].taken, WHOLE);
}

static void off_cpu_adds_up_in_each_report_and_over_all(void **state)
{
	waits = 2;
	assert_int_equal(record(collector_goes_on, symbolizer_reports), 0);
	waits = 0;
	expect("x.0001.json", "\"taken_ns\": 62000, \"exported_ns\": 60000, ");
	expect("x.0002.json", "\"off_cpu\": {\n    \"taken\": 62, \"exported\": 60, ");
	expect("x.0003.json", "\"recording\": {\"taken\": 200, \"exported\": 194, \"dropped\": 6, "
			      "\"taken_ns\": 200000, \"exported_ns\": 194000, "
			      "\"dropped_ns\": 6000}");
	for (unsigned i = 1; i <= BETWEEN + 1; i++)
		expect_outputs(i);
	assert_true(accounting_balances(&last_summary.balance));
}

/* Nothing but the ns of the last report are too few. */
static void off_cpu_that_does_not_add_up_is_an_error(void **state)
{
	struct summary wrong = last_summary;

	wrong.balance = (struct accounting_balance){
		.of = {[ACCOUNTING_OFF_CPU_NS] = {.taken = 2, .exported = 1}}};
	assert_int_equal(report_check(&wrong, 0), EXIT_CODE_FAILED);
	wrong.balance.of[ACCOUNTING_OFF_CPU_NS].dropped = 1;
	assert_int_equal(report_check(&wrong, 0), 0);
}

static void off_cpu_of_a_dead_symbolizer_is_lost_with_it(void **state)
{
	waits = 2;
	assert_int_equal(record(collector_releases_symbolizer, symbolizer_dies_reporting),
			 EXIT_CODE_FAILED);
	waits = 0;
	expect_outputs(1);
	expect("x.0001.json", "\"off_cpu\": {");
	expect("x.0002.json", "\"symbolizer_died\": 138}");
	assert_true(accounting_balances(&last_summary.balance));
}

static void file_that_cannot_be_written_is_left_out_and_the_rest_goes_on(void **state)
{
	assert_int_equal(record(collector_goes_on, symbolizer_fills_the_disk), EXIT_CODE_SOME);
	assert_int_equal(test_folder_count(), 8);
	assert_int_equal(access(test_folder_path("x.0002.folded"), F_OK), -1);
	expect_outputs(1);
	expect("x.0001.json", "\"report\": 1,");
	expect("x.0002.html", "report 2 of 1");
	expect("x.0002.json", "\"report\": 2,");
	expect_outputs(3);
	expect("x.0003.json", "\"report\": 3,");
	assert_true(accounting_balances(&last_summary.balance));
}

static void death_in_a_report_leaves_the_earlier_ones_whole(void **state)
{
	assert_int_equal(record(collector_releases_symbolizer, symbolizer_dies_reporting),
			 EXIT_CODE_FAILED);
	assert_int_equal(test_folder_count(), 4);
	expect_outputs(1);
	expect("x.0001.json", "\"exported\": 30,");
	expect("x.0002.json", "\"symbolizer_died\": 69}");
	assert_true(accounting_balances(&last_summary.balance));
	assert_int_equal(last_summary.whole[ACCOUNTING_ON_CPU].taken, WHOLE);
}

static void report_that_was_not_requested_is_not_stored(void **state)
{
	assert_int_equal(record(collector_goes_on, symbolizer_sends_flushed_unasked), 0);
	assert_int_equal(test_folder_count(), 9);
	expect_outputs(1);
	expect("x.0001.json", "\"report\": 1,");
	expect_outputs(2);
	expect("x.0002.json", "\"report\": 2,");
	expect_outputs(3);
	expect("x.0003.json", "\"report\": 3,");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, test_folder_make, test_folder_drop)

/* It would begin after the end, and the length of the last report would be negative. */
static void no_report_is_requested_after_the_end(void **state)
{
	struct intervals intervals = INTERVALS_NULL;
	struct child symbolizer = CHILD_NULL;
	struct pollfd due;

	symbolizer.ready = true;
	assert_int_equal(intervals_begin(&intervals, 1, 0, 1), 0);
	due = (struct pollfd){.fd = intervals.timer, .events = POLLIN};
	assert_int_equal(poll(&due, 1, -1), 1);
	intervals_stop(&intervals);
	intervals_tick(&intervals, &options, &symbolizer);
	assert_false(intervals.flush_pending);
	intervals_close(&intervals);
}

static void jitter_stays_within_its_part_of_the_interval(void **state)
{
	assert_int_equal(intervals_delay(5000000000, 0, 12345), 5000000000);
	assert_int_equal(intervals_delay(5000000000, 20, 0), 4000000000);
	assert_int_equal(intervals_delay(5000000000, 20, 1000000000), 5000000000);
	assert_int_equal(intervals_delay(5000000000, 20, 2000000000), 6000000000);
	assert_int_equal(intervals_delay(5000000000, 20, 2000000001), 4000000000);
	assert_true(intervals_delay(604800000000000, 50, UINT64_MAX) <= 604800000000000 / 2 * 3);
}

/* A timer with jitter is set for one tick. */
static void intervals_with_jitter_go_on(void **state)
{
	struct intervals intervals = INTERVALS_NULL;
	struct child symbolizer = CHILD_NULL;

	assert_int_equal(intervals_begin(&intervals, EVERY_NS, 50, 1), 0);
	for (int i = 0; i < 3; i++) {
		struct pollfd due = {.fd = intervals.timer, .events = POLLIN};

		assert_int_equal(poll(&due, 1, -1), 1);
		intervals_tick(&intervals, &options, &symbolizer);
	}
	intervals_close(&intervals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(each_report_has_its_numbered_files_and_all_add_up),
		IN_FOLDER(off_cpu_adds_up_in_each_report_and_over_all),
		cmocka_unit_test(off_cpu_that_does_not_add_up_is_an_error),
		IN_FOLDER(off_cpu_of_a_dead_symbolizer_is_lost_with_it),
		IN_FOLDER(file_that_cannot_be_written_is_left_out_and_the_rest_goes_on),
		IN_FOLDER(death_in_a_report_leaves_the_earlier_ones_whole),
		IN_FOLDER(no_report_is_requested_after_the_end),
		cmocka_unit_test(jitter_stays_within_its_part_of_the_interval),
		cmocka_unit_test(intervals_with_jitter_go_on),
		IN_FOLDER(report_that_was_not_requested_is_not_stored),
	};

	return cmocka_run_group_tests(tests, open_signals, NULL);
}
