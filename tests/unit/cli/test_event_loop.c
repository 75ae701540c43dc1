/* SPDX-License-Identifier: Apache-2.0 */
/* test_event_loop - whole recordings with fake programs: orderly ends, deaths, invalid messages,
 * interrupts */

#include "tests/unit/cli/fake_programs.h"

#include "cli/exit_code.h"

#define TAKEN_IN_RING 120

/* --- what the fake programs do --- */

static void collector_until_empty(int control)
{
	begin_collector(control);
	send_kind(control, TM_CONTROL_EMPTY, 0);
	end_collector(control);
}

/* The symbolizer is released here and dies, and only therefore STOP comes. */
static void collector_waits_for_stop(int control)
{
	begin_collector(control);
	(void)close(link_ends[1]);
	end_collector(control);
}

static void collector_interrupted(int control)
{
	begin_collector(control);
	(void)kill(getppid(), SIGINT);
	end_collector(control);
}

static void collector_interrupted_twice(int control)
{
	begin_collector(control);
	(void)kill(getppid(), SIGTERM);
	await(control, TM_CONTROL_STOP);
	(void)kill(getppid(), SIGINT);
	await(control, TM_CONTROL_STOP); /* never comes */
}

static void collector_dies_recording(int control)
{
	begin_collector(control);
	(void)raise(SIGKILL);
}

static void collector_dies_loading(int control)
{
	send_kind(control, TM_CONTROL_READY, 0);
	(void)raise(SIGKILL);
}

static void collector_refused(int control)
{
	struct tm_control message = {.kind = TM_CONTROL_FAILED, .code = TM_FAILURE_HOST};

	memcpy(message.body.text, "refused", sizeof("refused"));
	send_message(control, &message);
	send_message(control, &message);
}

static void collector_finds_no_process(int control)
{
	struct tm_control message = {.kind = TM_CONTROL_FAILED, .code = TM_FAILURE_NO_PROCESS};

	memcpy(message.body.text, "there is no process 1", sizeof("there is no process 1"));
	send_message(control, &message);
}

static void collector_sends_garbage(int control)
{
	begin_collector(control);
	(void)send(control, "garbage", 7, MSG_NOSIGNAL);
	for (;;)
		(void)pause(); /* it would not end by itself */
}

static void collector_closes_and_stays(int control)
{
	begin_collector(control);
	(void)close(control);
	for (;;)
		(void)pause();
}

static void symbolizer_writes(int control)
{
	struct tm_control message = {.kind = TM_CONTROL_OUTPUT, .value = 0};
	int i;

	send_kind(control, TM_CONTROL_READY, 0);
	await_other();
	send_message(control, &message);
	message.value = OPTIONS_OUTPUTS_MAX + 40; /* no such output exists */
	send_message(control, &message);
	message = (struct tm_control){.kind = TM_CONTROL_TOP};
	/* control characters without a NUL */
	memset(tm_result_top(&message), 0x1b, sizeof(struct tm_top));
	for (i = 0; i < TM_TOP_ROWS + 5; i++)
		send_message(control, &message);
	send_counts(control, TAKEN_IN_RING);
	message = (struct tm_control){.kind = TM_CONTROL_RESULT};
	tm_result_body(&message)->exported = TAKEN;
	send_message(control, &message);
	send_kind(control, TM_CONTROL_DONE, 0);
}

static void symbolizer_dies(int control)
{
	send_kind(control, TM_CONTROL_READY, 0);
	await_other();
	(void)raise(SIGKILL);
}

static void symbolizer_waits(int control)
{
	send_kind(control, TM_CONTROL_READY, 0);
	for (;;)
		(void)pause();
}

static int record(void (*collector)(int), void (*symbolizer)(int))
{
	int r;

	options = (struct options){.hz = 99, .output_count = 1};
	session_init(&session, &options, signals);
	r = record_with(collector, symbolizer);
	session_deinit(&session);
	return r;
}

/* --- tests --- */

static void orderly_recording_ends_when_no_program_is_left(void **state)
{
	assert_int_equal(record(collector_until_empty, symbolizer_writes), 0);
	assert_int_equal(session.death, ACCOUNTING_NONE_DIED);
	assert_int_equal(session.counts.taken, TAKEN);
	assert_int_equal(session.result.exported, TAKEN);
	assert_int_equal(session.output_results.has[0], 1);
	assert_true(session.ended_ns >= session.started_ns && session.started_ns > 0);
}

static void surplus_table_rows_are_left_out_and_all_are_clean(void **state)
{
	assert_int_equal(record(collector_until_empty, symbolizer_writes), 0);
	assert_int_equal(session.top_count, TM_TOP_ROWS);
	assert_int_equal(session.top[9].name[0], '_');
	assert_true(strlen(session.top[9].name) < TM_TOP_NAME);
}

static void interrupt_ends_the_recording_early_and_writes_outputs(void **state)
{
	assert_int_equal(record(collector_interrupted, symbolizer_writes), 0);
	assert_int_equal(session.result.exported, TAKEN);
}

static void second_interrupt_aborts(void **state)
{
	assert_int_equal(record(collector_interrupted_twice, symbolizer_writes), EXIT_CODE_FAILED);
	assert_int_equal(session.symbolizer.done, 0);
	assert_int_equal(session.aborted, 1);
}

static void dead_collector_leaves_the_symbolizer_to_write(void **state)
{
	assert_int_equal(record(collector_dies_recording, symbolizer_writes), EXIT_CODE_FAILED);
	assert_int_equal(session.death, ACCOUNTING_COLLECTOR_DIED);
	assert_int_equal(session.symbolizer.done, 1);
	assert_int_equal(session.output_results.has[0], 1);
	assert_int_equal(session.last_counts.taken, TAKEN_IN_RING);
}

static void collector_dead_before_sampling_ends_both(void **state)
{
	assert_int_equal(record(collector_dies_loading, symbolizer_waits), EXIT_CODE_FAILED);
	assert_int_equal(session.started_ns, 0);
}

static void refusal_by_the_host_has_its_own_exit_code(void **state)
{
	assert_int_equal(record(collector_refused, symbolizer_waits), EXIT_CODE_HOST);
}

static void process_that_the_kernel_hides_is_not_called_missing(void **state)
{
	int r;

	options = (struct options){.hz = 99, .pid_count = 1, .pids = {getpid()}};
	session_init(&session, &options, signals);
	r = record_with(collector_finds_no_process, symbolizer_waits);
	session_deinit(&session);
	assert_int_equal(r, EXIT_CODE_HOST);
	assert_int_equal(record(collector_finds_no_process, symbolizer_waits), EXIT_CODE_FAILED);
}

static void dead_symbolizer_stops_the_collector(void **state)
{
	assert_int_equal(record(collector_waits_for_stop, symbolizer_dies), EXIT_CODE_FAILED);
	assert_int_equal(session.death, ACCOUNTING_SYMBOLIZER_DIED);
	assert_int_equal(session.collector.done, 1);
	assert_int_equal(session.counts.taken, TAKEN);
}

static void symbolizer_that_dies_while_writing_leaves_no_output(void **state)
{
	assert_int_equal(record(collector_until_empty, symbolizer_dies), EXIT_CODE_FAILED);
	assert_int_equal(session.death, ACCOUNTING_SYMBOLIZER_DIED);
	assert_int_equal(session.output_results.has[0], 0);
}

static void program_that_sends_an_invalid_message_is_killed_and_the_other_continues(void **state)
{
	assert_int_equal(record(collector_sends_garbage, symbolizer_writes), EXIT_CODE_FAILED);
	assert_int_equal(session.death, ACCOUNTING_COLLECTOR_DIED);
	assert_int_equal(session.symbolizer.done, 1);
}

static void program_that_closes_its_socket_is_not_waited_for(void **state)
{
	assert_int_equal(record(collector_closes_and_stays, symbolizer_writes), EXIT_CODE_FAILED);
	assert_int_equal(session.symbolizer.done, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orderly_recording_ends_when_no_program_is_left),
		cmocka_unit_test(surplus_table_rows_are_left_out_and_all_are_clean),
		cmocka_unit_test(interrupt_ends_the_recording_early_and_writes_outputs),
		cmocka_unit_test(second_interrupt_aborts),
		cmocka_unit_test(dead_collector_leaves_the_symbolizer_to_write),
		cmocka_unit_test(collector_dead_before_sampling_ends_both),
		cmocka_unit_test(refusal_by_the_host_has_its_own_exit_code),
		cmocka_unit_test(process_that_the_kernel_hides_is_not_called_missing),
		cmocka_unit_test(dead_symbolizer_stops_the_collector),
		cmocka_unit_test(symbolizer_that_dies_while_writing_leaves_no_output),
		cmocka_unit_test(
			program_that_sends_an_invalid_message_is_killed_and_the_other_continues),
		cmocka_unit_test(program_that_closes_its_socket_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, open_signals, NULL);
}
