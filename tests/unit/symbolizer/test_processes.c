/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_processes - processes are told apart by generation rather than pid, in any order of records
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/base/path.h"
#include "symbolizer/profile/process_context.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/make_context.h"
#include "tests/unit/symbolizer/recording.h"

static union make_record record;

static uint32_t sampled(struct recording *recording, uint32_t tid, const char *comm)
{
	uint32_t string, process;

	make_sample(&record, 1, tid, comm, NULL, 0, 0);
	record.event.tgid = 9;
	record.event.start_boottime = 90;
	assert_int_equal(strings_add(&recording->strings, comm, strlen(comm), &string), 0);
	assert_int_equal(process_of_sample(&recording->processes, &record.event, string, &process),
			 0);
	return process;
}

static void announce(struct recording *recording, uint32_t exec_id, const char *comm)
{
	make_process(&record, 9, comm, 1, "prog\0bin\0usr\0", 13, "unit\0slice\0", 11);
	record.event.start_boottime = 90;
	record.event.exec_id = exec_id;
	assert_int_equal(process_announce(&recording->processes, &record.process), 0);
}

static void announcement_names_the_generation(void **state)
{
	static struct recording recording;
	const struct process *process;

	assert_int_equal(recording_make(&recording), 0);
	announce(&recording, 1, "leader");
	process = &recording.processes.items[sampled(&recording, 10, "thread")];
	assert_string_equal(recording_text(&recording, process->comm), "leader");
	assert_string_equal(recording_text(&recording, process->exe), "/usr/bin/prog");
	assert_string_equal(recording_text(&recording, process->cgroup), "/slice/unit");
	assert_int_equal(process->ns_tgid, 7);
	assert_int_equal(recording.processes.count, 1);
	assert_int_equal(recording_end(&recording), 0);
}

static void sample_before_its_announcement_joins_it(void **state)
{
	static struct recording recording;
	uint32_t process;

	assert_int_equal(recording_make(&recording), 0);
	process = sampled(&recording, 10, "thread");
	assert_string_equal(recording_text(&recording, recording.processes.items[process].comm),
			    "thread");
	assert_string_equal(recording_text(&recording, recording.processes.items[process].exe), "");
	announce(&recording, 1, "leader");
	assert_int_equal(sampled(&recording, 11, "other"), process);
	assert_string_equal(recording_text(&recording, recording.processes.items[process].comm),
			    "leader");
	assert_int_equal(recording_end(&recording), 0);
}

static void unannounced_generation_takes_the_name_of_its_first_thread(void **state)
{
	static struct recording recording;
	uint32_t process;

	assert_int_equal(recording_make(&recording), 0);
	process = sampled(&recording, 10, "thread");
	(void)sampled(&recording, 9, "leader");
	(void)sampled(&recording, 11, "other");
	assert_string_equal(recording_text(&recording, recording.processes.items[process].comm),
			    "leader");
	assert_int_equal(recording_end(&recording), 0);
}

static void exec_and_reused_pid_make_other_generations(void **state)
{
	static struct recording recording;
	uint32_t string, first, second, third;

	assert_int_equal(recording_make(&recording), 0);
	first = sampled(&recording, 9, "a");
	assert_int_equal(strings_add(&recording.strings, "b", 1, &string), 0);
	record.event.exec_id++;
	assert_int_equal(process_of_sample(&recording.processes, &record.event, string, &second),
			 0);
	record.event.exec_id--;
	record.event.start_boottime++;
	assert_int_equal(process_of_sample(&recording.processes, &record.event, string, &third), 0);
	assert_true(first != second && second != third && first != third);
	assert_int_equal(recording_end(&recording), 0);
}

static void exit_leaves_a_tombstone_that_samples_still_join(void **state)
{
	static struct recording recording;
	uint32_t process;

	assert_int_equal(recording_make(&recording), 0);
	announce(&recording, 1, "leader");
	make_exit(&record, 55, 9);
	record.event.start_boottime = 90;
	process_exit(&recording.processes, &record.event);
	process = sampled(&recording, 9, "leader");
	assert_int_equal(recording.processes.count, 1);
	assert_int_equal(recording.processes.items[process].exit_ktime, 55);
	announce(&recording, 1, "leader");
	assert_int_equal(recording.processes.items[process].exit_ktime, 55);
	assert_int_equal(recording_end(&recording), 0);
}

static void declare(struct recording *recording, uint32_t exec_id, const char *name)
{
	static struct make_message message;

	make_process_context(&message, "service.name", name);
	make_context(&record, 9, message.bytes, (uint32_t)message.count);
	record.event.start_boottime = 90;
	record.event.exec_id = exec_id;
	assert_int_equal(process_declare(&recording->processes, &record.context), 0);
}

static void expect_context(const struct recording *recording, uint32_t process, const char *wanted)
{
	assert_string_equal(recording_text(recording, recording->processes.items[process].context),
			    wanted);
}

static void what_a_generation_says_of_itself_is_its_own(void **state)
{
	static struct recording recording;
	uint32_t process;

	assert_int_equal(recording_make(&recording), 0);
	announce(&recording, 1, "leader");
	announce(&recording, 2, "other");
	process = sampled(&recording, 10, "thread");
	expect_context(&recording, process, "");
	declare(&recording, 1, "shop");
	expect_context(&recording, process, "service.name=shop");
	expect_context(&recording, 1 - process, "");
	declare(&recording, 2, "bank");
	expect_context(&recording, process, "service.name=shop");
	expect_context(&recording, 1 - process, "service.name=bank");
	assert_int_equal(recording.processes.count, 2);
	assert_int_equal(recording_end(&recording), 0);
}

static void what_an_unknown_generation_says_adds_nothing(void **state)
{
	static struct recording recording;
	uint64_t used;

	assert_int_equal(recording_make(&recording), 0);
	announce(&recording, 1, "leader");
	used = recording.budget.used;
	declare(&recording, 7, "shop");
	assert_int_equal(recording.processes.count, 1);
	assert_int_equal(recording.processes.live, 1);
	assert_int_equal(recording.budget.used, used);
	expect_context(&recording, sampled(&recording, 10, "thread"), "");
	assert_int_equal(recording_end(&recording), 0);
}

/* The record goes on with each epoch, as the announcement does. */
static void what_a_generation_says_later_takes_the_place_of_it(void **state)
{
	static struct recording recording;
	uint32_t process;

	assert_int_equal(recording_make(&recording), 0);
	announce(&recording, 1, "leader");
	process = sampled(&recording, 10, "thread");
	declare(&recording, 1, "shop");
	declare(&recording, 1, "bank");
	expect_context(&recording, process, "service.name=bank");
	announce(&recording, 1, "leader");
	expect_context(&recording, process, "service.name=bank");
	declare(&recording, 1, ""); /* which is no attribute */
	expect_context(&recording, process, "");
	assert_int_equal(recording_end(&recording), 0);
}

/* Declares a text that is not in the record. */
static void declare_left_out(struct recording *recording, uint64_t published, uint32_t text_bytes)
{
	make_context(&record, 9, "", 0);
	record.event.start_boottime = 90;
	record.context.published = published;
	record.context.text_bytes = text_bytes;
	assert_int_equal(process_declare(&recording->processes, &record.context), 0);
}

static void what_a_generation_says_no_longer_is_forgotten(void **state)
{
	static struct recording recording;
	uint32_t process;

	assert_int_equal(recording_make(&recording), 0);
	announce(&recording, 1, "leader");
	process = sampled(&recording, 10, "thread");
	declare(&recording, 1, "shop");
	declare_left_out(&recording, 0, 0);
	expect_context(&recording, process, "");
	assert_int_equal(recording.processes.items[process].missing, PROCESS_CONTEXT_WHOLE);
	assert_int_equal(recording_end(&recording), 0);
}

/* make_context publishes at 1. */
static void what_could_not_be_read_again_is_what_was_read(void **state)
{
	static struct recording recording;
	const struct process *process;

	assert_int_equal(recording_make(&recording), 0);
	announce(&recording, 1, "leader");
	process = &recording.processes.items[sampled(&recording, 10, "thread")];
	declare_left_out(&recording, 1, 5);
	assert_int_equal(process->missing, PROCESS_CONTEXT_UNREADABLE);
	declare(&recording, 1, "shop");
	declare_left_out(&recording, 1, 5);
	assert_string_equal(recording_text(&recording, process->context), "service.name=shop");
	assert_int_equal(process->missing, PROCESS_CONTEXT_WHOLE);
	declare_left_out(&recording, 2, 5); /* something else, since */
	assert_string_equal(recording_text(&recording, process->context), "");
	assert_int_equal(process->missing, PROCESS_CONTEXT_UNREADABLE);
	declare(&recording, 1, "shop");
	declare_left_out(&recording, 1, TM_CONTEXT_MAX + 1);
	assert_string_equal(recording_text(&recording, process->context), "");
	assert_int_equal(process->missing, PROCESS_CONTEXT_TOO_LONG);
	declare(&recording, 1, "shop");
	assert_int_equal(process->missing, PROCESS_CONTEXT_WHOLE);
	assert_int_equal(recording_end(&recording), 0);
}

static void packed_names_become_paths(void **state)
{
	char text[PATH_TEXT_BYTES];
	static char longest[TM_PATH_MAX];

	(void)path_unpack("ls\0bin\0usr\0", 11, 0, TM_PATH_CUT, text);
	assert_string_equal(text, "/usr/bin/ls");
	(void)path_unpack("", 0, 0, TM_PATH_CUT, text);
	assert_string_equal(text, "/");
	(void)path_unpack("memfd:x\0", 8, TM_PATH_UNNAMED, TM_PATH_CUT, text);
	assert_string_equal(text, "memfd:x");
	(void)path_unpack("ls\0bin\0", 7, TM_PATH_CUT, TM_PATH_CUT, text);
	assert_string_equal(text, ".../bin/ls");
	(void)path_unpack("no end", 6, 0, TM_PATH_CUT, text);
	assert_string_equal(text, "/no end");
	(void)path_unpack("\0\0\0", 3, 0, TM_PATH_CUT, text);
	assert_string_equal(text, "///");
	/* Each NUL becomes a slash, so a path of NULs alone gives the longest text. */
	assert_int_equal(path_unpack(longest, sizeof(longest), TM_PATH_CUT, TM_PATH_CUT, text),
			 TM_PATH_MAX + 3);
	assert_string_equal(path_base("/usr/bin/ls"), "ls");
	assert_string_equal(path_base("memfd:x"), "memfd:x");
	assert_string_equal(path_base("/"), "/");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(announcement_names_the_generation),
		cmocka_unit_test(sample_before_its_announcement_joins_it),
		cmocka_unit_test(unannounced_generation_takes_the_name_of_its_first_thread),
		cmocka_unit_test(exec_and_reused_pid_make_other_generations),
		cmocka_unit_test(exit_leaves_a_tombstone_that_samples_still_join),
		cmocka_unit_test(what_a_generation_says_of_itself_is_its_own),
		cmocka_unit_test(what_an_unknown_generation_says_adds_nothing),
		cmocka_unit_test(what_a_generation_says_later_takes_the_place_of_it),
		cmocka_unit_test(what_a_generation_says_no_longer_is_forgotten),
		cmocka_unit_test(what_could_not_be_read_again_is_what_was_read),
		cmocka_unit_test(packed_names_become_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
