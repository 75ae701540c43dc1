/* SPDX-License-Identifier: Apache-2.0 */
/* test_starter - what the starter does for the command, and what it refuses a compromised one */

#include "tests/unit/cli/check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/cli/serve_preparation.h"
#include "tests/unit/cli/test_folder.h"

#include "cli/child.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/spawn.h"
#include "cli/starter_client.h"
#include "shared/fdpass.h"

static struct options options;
static struct preparation preparation;
static struct starter_client starter;
static struct outputs outputs, later;

/* It has the options as they are now. */
static int fork_starter(void)
{
	preparation_init(&preparation, &options);
	return starter_client_fork(&starter, serve_preparation, &preparation);
}

static void fork_another(void)
{
	starter_client_stop(&starter);
	assert_int_equal(fork_starter(), 0);
}

static int begin_every(void **state, uint64_t every_ns)
{
	if (test_folder_make(state) < 0)
		return -1;
	options = (struct options){.hz = 99, .output_count = 2, .every_ns = every_ns};
	options.outputs[0] = (struct options_output){test_folder_path("x.folded"), FORMAT_FOLDED};
	options.outputs[1] = (struct options_output){test_folder_path("x.html"), FORMAT_HTML};
	options.summary = test_folder_path("x.json");
	return fork_starter();
}

static int begin(void **state)
{
	return begin_every(state, 0);
}

static int begin_reports(void **state)
{
	return begin_every(state, 1000000000);
}

static int end(void **state)
{
	starter_client_stop(&starter);
	outputs_close(&outputs);
	outputs_close(&later);
	return test_folder_drop(state);
}

/* Whether the file holds @text; it is removed. */
static bool holds(const char *name, const char *text)
{
	char read[64] = "";
	FILE *file = fopen(test_folder_path(name), "r");
	bool is_equal = file && fgets(read, sizeof(read), file) && strcmp(read, text) == 0;

	if (file)
		(void)fclose(file);
	return unlink(test_folder_path(name)) == 0 && is_equal;
}

/* A request that no starter_client makes. Return: the code of its answer. */
static int request(uint32_t kind, uint32_t what, uint64_t value)
{
	const struct starter_request message = {kind, what, value};
	struct starter_answer answer = {0};

	assert_int_equal(tm_fdpass_send(starter.socket, &message, sizeof(message), -1, 0), 0);
	assert_int_equal(tm_fdpass_recv(starter.socket, &answer, sizeof(answer), NULL, 0), 0);
	return answer.code;
}

static bool is_gone(void)
{
	struct pollfd closed = {.fd = starter.socket, .events = POLLIN};
	char byte;

	return poll(&closed, 1, 20000) == 1 && recv(starter.socket, &byte, 1, 0) == 0;
}

/* --- files ------------------------------------------------------------------------------------ */

static void files_are_there_once_they_are_stored(void **state)
{
	assert_int_equal(outputs_open(&outputs, &starter, &options, 0), 0);
	assert_int_equal(test_folder_count(), 0);
	assert_true(dprintf(outputs.items[0].fd, "first") > 0);
	assert_true(dprintf(outputs.summary.fd, "summary") > 0);
	assert_int_equal(outputs_commit(&outputs, 0), 0);
	assert_int_equal(outputs_commit(&outputs, 2), 0);
	outputs_leave(&outputs); /* the page was never stored */
	assert_true(holds("x.folded", "first"));
	assert_true(holds("x.json", "summary"));
	assert_int_equal(test_folder_count(), 0);
}

static void each_report_has_files_of_its_own(void **state)
{
	assert_int_equal(outputs_open(&outputs, &starter, &options, 1), 0);
	outputs_open_more(&later, &outputs, 2);
	assert_true(dprintf(outputs.items[0].fd, "one") > 0);
	assert_true(dprintf(later.items[0].fd, "two") > 0);
	assert_int_equal(outputs_commit(&outputs, 0), 0);
	outputs_leave(&outputs);
	assert_true(holds("x.0001.folded", "one"));
	assert_int_equal(outputs_commit(&later, 0), 0);
	outputs_leave(&later);
	assert_true(holds("x.0002.folded", "two"));
}

static void report_that_was_lost_leaves_its_number_to_the_next(void **state)
{
	assert_int_equal(outputs_open(&outputs, &starter, &options, 1), 0);
	outputs_open_more(&later, &outputs, 2);
	outputs_leave(&outputs);
	outputs_renumber(&later, 1);
	assert_string_equal(later.items[1].path, test_folder_path("x.0001.html"));
	assert_true(dprintf(later.items[1].fd, "page") > 0);
	assert_int_equal(outputs_commit(&later, 1), 0);
	assert_true(holds("x.0001.html", "page"));
}

static void output_that_cannot_be_opened_is_refused_or_left_out(void **state)
{
	const char *taken = test_folder_path("x.0002.html");

	assert_int_equal(mkdir(taken, 0700), 0);
	assert_int_equal(outputs_open(&outputs, &starter, &options, 1), 0);
	outputs_open_more(&later, &outputs, 2);
	assert_false(later.refused[0]);
	assert_true(later.refused[1]);
	assert_false(later.summary_refused);
	assert_int_equal(rmdir(taken), 0);
	options.outputs[1].path = "/nowhere/x.html";
	fork_another();
	outputs_close(&outputs);
	assert_int_equal(outputs_open(&outputs, &starter, &options, 1), EXIT_CODE_FAILED);
	assert_int_equal(request(STARTER_OPEN, 0, 2), EXIT_CODE_FAILED);
	assert_int_equal(request(STARTER_OPEN, 1, 1), EXIT_CODE_FAILED);
}

/* Whoever makes an output fail must not be able to lead the next one elsewhere. */
static void folder_stays_the_same_behind_an_output_that_failed(void **state)
{
	struct outputs last;

	assert_int_equal(mkdir(test_folder_path("a"), 0700), 0);
	assert_int_equal(mkdir(test_folder_path("a/x.0002.folded"), 0700), 0);
	options.output_count = 1;
	options.outputs[0].path = test_folder_path("a/x.folded");
	fork_another();
	assert_int_equal(outputs_open(&outputs, &starter, &options, 1), 0);
	outputs_open_more(&later, &outputs, 2);
	assert_true(later.refused[0]);
	outputs_leave(&outputs);
	assert_int_equal(rename(test_folder_path("a"), test_folder_path("b")), 0);
	assert_int_equal(mkdir(test_folder_path("a"), 0700), 0);
	outputs_open_more(&last, &later, 3);
	outputs_leave(&later);
	assert_int_equal(outputs_commit(&last, 0), 0);
	outputs_close(&last);
	assert_int_equal(unlink(test_folder_path("b/x.0003.folded")), 0);
	assert_int_equal(rmdir(test_folder_path("b/x.0002.folded")), 0);
	assert_int_equal(rmdir(test_folder_path("a")), 0);
	assert_int_equal(rmdir(test_folder_path("b")), 0);
}

/* --- a compromised command -------------------------------------------------------------------- */

static void what_is_out_of_order_is_refused(void **state)
{
	assert_int_equal(request(STARTER_COMMIT, 0, 0), -EINVAL);
	assert_int_equal(outputs_open(&outputs, &starter, &options, 0), 0);
	assert_int_equal(request(STARTER_OPEN, 1, 0), EXIT_CODE_FAILED);
	assert_int_equal(request(STARTER_OPEN, 0, 1), EXIT_CODE_FAILED); /* it is the only one */
	assert_int_equal(request(STARTER_COMMIT, 3, 0), -EINVAL);        /* the summary has 2 */
	assert_int_equal(request(STARTER_RENUMBER, 0, 1), -EINVAL);
	assert_int_equal(test_folder_count(), 0);
	assert_int_equal(request(STARTER_NEXT, 0, 0), 0);
	assert_int_equal(request(STARTER_OPEN, 1, 0), EXIT_CODE_FAILED); /* its folders, by paths */
}

/* It could put its report in the place of one of another recording. */
static void numbers_of_reports_follow_each_other(void **state)
{
	assert_int_equal(request(STARTER_OPEN, 1, 7), EXIT_CODE_FAILED);
	fork_another();
	assert_int_equal(outputs_open(&outputs, &starter, &options, 1), 0);
	assert_int_equal(request(STARTER_OPEN, 0, 3), EXIT_CODE_FAILED);
	assert_int_equal(request(STARTER_OPEN, 0, 1ull << 32), EXIT_CODE_FAILED);
	outputs_open_more(&later, &outputs, 2);
	assert_true(dprintf(outputs.items[0].fd, "one") > 0);
	assert_int_equal(outputs_commit(&outputs, 0), 0);
	outputs_leave(&outputs);
	assert_int_equal(request(STARTER_RENUMBER, 0, 1), -EINVAL); /* it is stored */
	assert_int_equal(request(STARTER_RENUMBER, 0, 3), -EINVAL);
	assert_int_equal(request(STARTER_RENUMBER, 0, 1ull << 32 | 2), -EINVAL);
	assert_int_equal(request(STARTER_OPEN, 0, 4), EXIT_CODE_FAILED);
	assert_true(holds("x.0001.folded", "one"));
}

static void no_process_but_its_own_can_be_touched(void **state)
{
	assert_int_equal(request(STARTER_KILL, PROGRAM_PATHS_COLLECTOR, 0), -ESRCH);
	assert_int_equal(request(STARTER_KILL, PROGRAM_PATHS_N, 0), -ESRCH);
	assert_int_equal(request(STARTER_WAIT, PROGRAM_PATHS_N, 0), -ECHILD);
	assert_int_equal(request(STARTER_SIGNAL, SIGUSR1, 0), -EINVAL);
	assert_int_equal(request(STARTER_SIGNAL, SIGKILL, 0), -EBADF); /* there is no COMMAND */
	assert_int_equal(request(STARTER_START, PROGRAM_PATHS_N, 0), EXIT_CODE_FAILED);
	assert_int_equal(request(STARTER_START, PROGRAM_PATHS_COLLECTOR, 0), EXIT_CODE_FAILED);
	assert_int_equal(request(STARTER_EVENT, 0, UINT64_MAX), -EINVAL);
}

static void message_that_is_none_ends_it(void **state)
{
	const struct starter_request unknown = {.kind = STARTER_NEXT + 1};

	assert_int_equal(tm_fdpass_send(starter.socket, &unknown, sizeof(unknown), -1, 0), 0);
	assert_true(is_gone());
	assert_int_equal(outputs_open(&outputs, &starter, &options, 0), EXIT_CODE_FAILED);
	assert_true(starter.is_gone);
}

static void message_of_another_size_ends_it(void **state)
{
	assert_int_equal(tm_fdpass_send(starter.socket, "x", 1, -1, 0), 0);
	assert_true(is_gone());
}

static void descriptor_for_no_program_ends_it(void **state)
{
	const struct starter_request give = {.kind = STARTER_GIVE, .what = STARTER_SLOT_N};

	assert_int_equal(tm_fdpass_send(starter.socket, &give, sizeof(give), 1, 0), 0);
	assert_true(is_gone());
}

/* --- its death -------------------------------------------------------------------------------- */

static void without_it_nothing_is_stored_and_nothing_waits(void **state)
{
	struct child child = CHILD_NULL;

	assert_int_equal(outputs_open(&outputs, &starter, &options, 0), 0);
	assert_int_equal(kill(starter.pid, SIGKILL), 0);
	assert_int_equal(outputs_commit(&outputs, 0), -EPIPE);
	assert_int_equal(child_start(&child, &starter, PROGRAM_PATHS_COLLECTOR), EXIT_CODE_FAILED);
	assert_int_equal(starter_client_event(&starter, 0), -EPIPE);
	child.pid = 1; /* as if it had been started before */
	child.program = PROGRAM_PATHS_COLLECTOR;
	child_kill(&child);
	assert_true(child.ended);
	assert_int_equal(child.status, SIGKILL);
	assert_int_equal(test_folder_count(), 0);
}

#define WITH_STARTER(test) cmocka_unit_test_setup_teardown(test, begin, end)
#define OF_REPORTS(test)   cmocka_unit_test_setup_teardown(test, begin_reports, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_STARTER(files_are_there_once_they_are_stored),
		OF_REPORTS(each_report_has_files_of_its_own),
		OF_REPORTS(report_that_was_lost_leaves_its_number_to_the_next),
		OF_REPORTS(output_that_cannot_be_opened_is_refused_or_left_out),
		OF_REPORTS(folder_stays_the_same_behind_an_output_that_failed),
		WITH_STARTER(what_is_out_of_order_is_refused),
		OF_REPORTS(numbers_of_reports_follow_each_other),
		WITH_STARTER(no_process_but_its_own_can_be_touched),
		WITH_STARTER(message_that_is_none_ends_it),
		WITH_STARTER(message_of_another_size_ends_it),
		WITH_STARTER(descriptor_for_no_program_ends_it),
		WITH_STARTER(without_it_nothing_is_stored_and_nothing_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
