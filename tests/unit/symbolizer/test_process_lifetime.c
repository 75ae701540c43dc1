/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_process_lifetime - when the data of a process generation is freed
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/make_context.h"
#include "tests/unit/symbolizer/recording.h"

#define MS 1000000ull

static union make_record record;

static void begin_process(struct recording *recording, uint64_t ktime)
{
	assert_int_equal(recording_make(recording), 0);
	make_process(&record, 9, "leader", 1, "prog\0bin\0usr\0", 13, "unit\0slice\0", 11);
	record.event.ktime = ktime;
	assert_int_equal(process_announce(&recording->processes, &record.process), 0);
}

static void declare(struct recording *recording)
{
	static struct make_message message;

	make_process_context(&message, "service.name", "shop");
	make_context(&record, 9, message.bytes, (uint32_t)message.count);
	assert_int_equal(process_declare(&recording->processes, &record.context), 0);
}

static uint32_t sample_at(struct recording *recording, uint64_t ktime)
{
	uint32_t process;

	make_sample(&record, ktime, 9, "worker", NULL, 0, 0);
	assert_int_equal(process_of_sample(&recording->processes, &record.event, 0, &process), 0);
	return process;
}

static void exit_at(struct recording *recording, uint64_t ktime)
{
	make_exit(&record, ktime, 9);
	process_exit(&recording->processes, &record.event);
}

static void exited_generation_is_freed_within_two_epochs(void **state)
{
	static struct recording recording;
	const uint64_t born = 1000 * MS, died = born + 5 * MS;

	begin_process(&recording, born);
	exit_at(&recording, died);
	(void)tm_retire_run(&recording.queue, died + TM_EPOCH_NS);
	assert_int_equal(recording.processes.live, 1);
	(void)tm_retire_run(&recording.queue, died + 2 * TM_EPOCH_NS + 1);
	assert_int_equal(recording.processes.live, 0);
	assert_int_equal(recording.processes.retired, 1);
	assert_int_equal(recording.queue.count, 0);
	assert_int_equal(recording_end(&recording), 0);
}

static void exited_generation_is_never_freed_before_its_last_sample(void **state)
{
	static struct recording recording;
	const uint64_t born = 1000 * MS, died = born + TM_EPOCH_NS;
	uint32_t process;

	begin_process(&recording, born);
	(void)sample_at(&recording, died - MS);
	exit_at(&recording, died);
	assert_int_equal(recording_forget(&recording), 0); /* nothing pins it any more */
	(void)tm_retire_run(&recording.queue, died + 5 * MS);
	process = sample_at(&recording, died + 6 * MS);
	assert_string_equal(recording_text(&recording, recording.processes.items[process].comm),
			    "leader");
	assert_int_equal(recording.processes.items[process].exit_ktime, died);
	assert_int_equal(recording_forget(&recording), 0);
	(void)tm_retire_run(&recording.queue, died + 6 * MS + TM_EPOCH_NS);
	assert_int_equal(recording.processes.live, 1);
	(void)tm_retire_run(&recording.queue, died + 2 * TM_EPOCH_NS + 1);
	assert_int_equal(recording.processes.live, 0);
	assert_int_equal(recording_end(&recording), 0);
}

static void generation_whose_exit_was_lost_is_freed_after_two_silent_epochs(void **state)
{
	static struct recording recording;
	const uint64_t born = 1000 * MS;
	uint64_t last = born;

	begin_process(&recording, born);
	for (int i = 0; i < 10; i++) {
		last += 2 * TM_EPOCH_NS;
		(void)tm_retire_run(&recording.queue, last);
		assert_int_equal(recording.processes.live, 1);
		(void)sample_at(&recording, last);
	}
	(void)tm_retire_run(&recording.queue, last + 2 * TM_EPOCH_NS);
	assert_int_equal(recording.processes.live, 1);
	(void)tm_retire_run(&recording.queue, last + 2 * TM_EPOCH_NS + 1);
	assert_int_equal(recording.processes.live, 0);
	assert_int_equal(recording_end(&recording), 0);
}

static void unreported_sample_pins_what_it_refers_to(void **state)
{
	static struct recording recording;
	const uint64_t born = 1000 * MS;
	uint32_t process;

	begin_process(&recording, born);
	process = sample_at(&recording, born + MS);
	exit_at(&recording, born + 2 * MS);
	(void)tm_retire_run(&recording.queue, born + 9 * TM_EPOCH_NS);
	assert_int_equal(recording.processes.retired, 1);
	assert_string_equal(recording_text(&recording, recording.processes.items[process].exe),
			    "/usr/bin/prog");
	assert_int_equal(recording.processes.items[process].state, PROCESS_RETIRED);
	assert_int_equal(recording_forget(&recording), 0);
	assert_int_equal(recording.processes.items[process].state, PROCESS_FREE);
	assert_int_equal(recording_end(&recording), 0);
}

/* A key never stands for another generation, so a later sample may join it. */
static void silent_generation_that_is_sampled_again_is_still_one(void **state)
{
	static struct recording recording;
	const uint64_t born = 1000 * MS;
	uint32_t before, after;

	begin_process(&recording, born);
	before = sample_at(&recording, born + MS);
	(void)tm_retire_run(&recording.queue, born + 9 * TM_EPOCH_NS);
	assert_int_equal(recording.processes.live, 0);
	after = sample_at(&recording, born + 10 * TM_EPOCH_NS);
	assert_int_equal(before, after);
	assert_int_equal(recording.processes.live, 1);
	(void)tm_retire_run(&recording.queue, born + 20 * TM_EPOCH_NS);
	assert_int_equal(recording.processes.retired, 2);
	assert_int_equal(recording_end(&recording), 0);
}

static void reused_entry_of_a_freed_generation_is_empty(void **state)
{
	static struct recording recording;
	const uint64_t born = 1000 * MS;
	uint32_t before, after;

	begin_process(&recording, born);
	declare(&recording);
	before = sample_at(&recording, born + MS);
	exit_at(&recording, born + 2 * MS);
	(void)tm_retire_run(&recording.queue, born + 9 * TM_EPOCH_NS);
	assert_int_equal(recording_forget(&recording), 0);
	after = sample_at(&recording, born + 10 * TM_EPOCH_NS);
	assert_int_equal(before, after); /* the same entry, another generation */
	assert_string_equal(recording_text(&recording, recording.processes.items[after].exe), "");
	assert_int_equal(recording.processes.items[after].context, 0);
	assert_int_equal(recording.processes.items[after].exit_ktime, 0);
	assert_false(recording.processes.items[after].announced);
	assert_int_equal(recording_end(&recording), 0);
}

static void names_outlive_the_strings_of_a_report(void **state)
{
	static struct recording recording;
	const struct process *process;

	begin_process(&recording, 1000 * MS);
	declare(&recording);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(recording_forget(&recording), 0);
		process = &recording.processes.items[sample_at(&recording, 1001 * MS)];
		assert_string_equal(recording_text(&recording, process->comm), "leader");
		assert_string_equal(recording_text(&recording, process->exe), "/usr/bin/prog");
		assert_string_equal(recording_text(&recording, process->cgroup), "/slice/unit");
		assert_string_equal(recording_text(&recording, process->context),
				    "service.name=shop");
		assert_int_equal(process->ns_tgid, 7);
	}
	assert_int_equal(recording_end(&recording), 0);
}

static void names_dropped_for_lack_of_memory_return_with_the_next_announcement(void **state)
{
	static struct recording recording;
	uint64_t limit;

	begin_process(&recording, 1000 * MS);
	declare(&recording);
	limit = recording.budget.limit;
	for (uint64_t spare = 0; spare < 100000; spare += 4096) {
		struct strings fresh;
		const struct process *process;

		recording.budget.limit = limit;
		assert_int_equal(strings_init(&fresh, &recording.budget, &recording.seed), 0);
		recording.budget.limit = recording.budget.used + spare;
		process_forget(&recording.processes, &fresh);
		recording_take_strings(&recording, &fresh);
		recording.budget.limit = limit;
		process = &recording.processes.items[0];
		assert_string_equal(recording_text(&recording, process->exe),
				    process->announced ? "/usr/bin/prog" : "");
		assert_string_equal(recording_text(&recording, process->context),
				    process->announced ? "service.name=shop" : "");
		make_process(&record, 9, "leader", 1, "prog\0bin\0usr\0", 13, "unit\0slice\0", 11);
		assert_int_equal(process_announce(&recording.processes, &record.process), 0);
		assert_string_equal(recording_text(&recording, recording.processes.items[0].exe),
				    "/usr/bin/prog");
		declare(&recording);
	}
	assert_int_equal(recording_end(&recording), 0);
}

static void many_processes_leave_no_entry_and_no_byte_behind(void **state)
{
	static struct recording recording;
	uint64_t used = 0;

	begin_process(&recording, 1000 * MS);
	/*
	 * A thousand start each second, and a report comes every 10 s: at most some 30,000 are
	 * kept.
	 */
	for (uint64_t i = 1; i <= 200000; i++) {
		uint64_t now = 1000 * MS + i * MS;
		uint32_t process;

		make_process(&record, (uint32_t)i, "short", 1, "prog\0bin\0", 9, "unit\0", 5);
		record.event.ktime = now;
		assert_int_equal(process_announce(&recording.processes, &record.process), 0);
		make_sample(&record, now, (uint32_t)i, "short", NULL, 0, 0);
		assert_int_equal(
			process_of_sample(&recording.processes, &record.event, 0, &process), 0);
		make_exit(&record, now, (uint32_t)i);
		if (i % 10) /* the other exits are lost */
			process_exit(&recording.processes, &record.event);
		(void)tm_retire_run(&recording.queue, now);
		if (i % 10000 == 0)
			assert_int_equal(recording_forget(&recording), 0);
		if (i == 100000)
			used = recording.budget.used;
		assert_true(recording.processes.count < 45000);
	}
	assert_true(recording.budget.used <= used);
	(void)tm_retire_run(&recording.queue, 1000000 * MS);
	assert_int_equal(recording_forget(&recording), 0);
	assert_int_equal(recording.processes.live, 0);
	assert_int_equal(recording.processes.retired, 200000); /* one process had exited before */
	assert_int_equal(recording.processes.lookup.used, 0);
	assert_int_equal(recording.queue.count, 0);
	assert_int_equal(recording_end(&recording), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exited_generation_is_freed_within_two_epochs),
		cmocka_unit_test(exited_generation_is_never_freed_before_its_last_sample),
		cmocka_unit_test(generation_whose_exit_was_lost_is_freed_after_two_silent_epochs),
		cmocka_unit_test(unreported_sample_pins_what_it_refers_to),
		cmocka_unit_test(silent_generation_that_is_sampled_again_is_still_one),
		cmocka_unit_test(reused_entry_of_a_freed_generation_is_empty),
		cmocka_unit_test(names_outlive_the_strings_of_a_report),
		cmocka_unit_test(
			names_dropped_for_lack_of_memory_return_with_the_next_announcement),
		cmocka_unit_test(many_processes_leave_no_entry_and_no_byte_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
