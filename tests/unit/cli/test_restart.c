/* SPDX-License-Identifier: Apache-2.0 */
/* test_restart - when a new symbolizer follows a dead one, and what happens if none can be
 * started */

#include "tests/unit/cli/fake_programs.h"

#include "cli/exit_code.h"
#include "cli/restart.h"
#include "cli/start.h"
#include "tests/unit/cli/serve_preparation.h"

static struct preparation preparation; /* without any program */
static struct starter_client starter;

static void collector_waits_for_stop(int control)
{
	begin_collector(control);
	(void)close(link_ends[1]);
	end_collector(control);
}

static void symbolizer_dies(int control)
{
	send_kind(control, TM_CONTROL_READY, 0);
	await_other();
	(void)raise(SIGKILL);
}

static int begin(void **state)
{
	options = (struct options){.hz = 99, .restart = true};
	session_init(&session, &options, signals);
	session.starter = &starter;
	session.phase = SESSION_RECORDING;
	preparation_init(&preparation, &options);
	return starter_client_fork(&starter, serve_preparation, &preparation);
}

static void symbolizer_that_dies_while_recording_is_followed(void **state)
{
	assert_true(session_may_restart(&session, &session.symbolizer));
	assert_false(session_may_restart(&session, &session.collector));
}

static void no_symbolizer_follows_unless_requested(void **state)
{
	options.restart = false;
	assert_false(session_may_restart(&session, &session.symbolizer));
}

static void no_symbolizer_follows_before_or_after_the_recording(void **state)
{
	static const enum session_phase phases[] = {SESSION_LOADING, SESSION_FINISHING,
						    SESSION_OVER};
	size_t i;

	for (i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		session.phase = phases[i];
		assert_false(session_may_restart(&session, &session.symbolizer));
	}
}

static void no_symbolizer_follows_without_a_collector(void **state)
{
	session.collector.lost = 1;
	assert_false(session_may_restart(&session, &session.symbolizer));
}

static void not_more_than_five_follow(void **state)
{
	session.restarts = SESSION_RESTARTS_MAX - 1;
	assert_true(session_may_restart(&session, &session.symbolizer));
	session.restarts = SESSION_RESTARTS_MAX;
	assert_false(session_may_restart(&session, &session.symbolizer));
}

static void if_none_can_be_started_the_recording_ends_as_without_restart(void **state)
{
	session.phase = SESSION_LOADING;
	assert_int_not_equal(record_with(collector_waits_for_stop, symbolizer_dies), 0);
	assert_int_equal(session.restarts, SESSION_RESTARTS_MAX);
	assert_int_equal(session.death, ACCOUNTING_SYMBOLIZER_DIED);
	assert_int_equal(session.collector.done, 1);
	assert_int_equal(session.counts.taken, TAKEN);
	session_deinit(&session);
}

static int end(void **state)
{
	starter_client_stop(&starter);
	return 0;
}

#define BEGUN(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BEGUN(symbolizer_that_dies_while_recording_is_followed),
		BEGUN(no_symbolizer_follows_unless_requested),
		BEGUN(no_symbolizer_follows_before_or_after_the_recording),
		BEGUN(no_symbolizer_follows_without_a_collector),
		BEGUN(not_more_than_five_follow),
		BEGUN(if_none_can_be_started_the_recording_ends_as_without_restart),
	};

	return cmocka_run_group_tests(tests, open_signals, NULL);
}
