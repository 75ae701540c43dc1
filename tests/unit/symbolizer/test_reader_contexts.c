/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_reader_contexts - what a process says of itself comes through the ring into the report
 */

#include <stdio.h>

#include "symbolizer/output/report_build.h"
#include "tests/unit/symbolizer/make_context.h"
#include "tests/unit/symbolizer/reader_fixture.h"

static void announce(uint32_t tgid)
{
	make_process(&record, tgid, "leader", TM_FILE_NONE, "prog\0bin\0", 9, "slice\0", 6);
	push();
}

static void push_context(uint32_t tgid, const char *name)
{
	static struct make_message message;

	make_process_context(&message, "service.name", name);
	make_context(&record, tgid, message.bytes, (uint32_t)message.count);
	push();
}

static void read_ring(void)
{
	tm_ring_publish(&writer, 100);
	assert_int_equal(reader_round(&reader), 0);
}

static const char *context_of(uint32_t tgid)
{
	const struct process *process = process_of_key(
		&recording.processes, &(const struct tm_process_key){tgid, 1, 1000u + tgid});

	assert_non_null(process);
	return recording_text(&recording, process->context);
}

static void contexts_reach_their_process_behind_its_announcement(void **state)
{
	announce(42);
	push_context(42, "shop");
	push_sample(50, 1);
	push_context(43, "bank"); /* not announced yet */
	announce(43);
	read_ring();
	assert_string_equal(context_of(42), "service.name=shop");
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_ON_CPU].count, 1);
	assert_int_equal(recording.processes.count, 2);
	assert_string_equal(context_of(43), "");
	push_context(43, "bank");
	read_ring();
	assert_string_equal(context_of(43), "service.name=bank");
	assert_int_equal(reader.bad_records, 0);
	assert_int_equal(reader.announces_lost, 0);
}

static void reports_have_what_their_processes_say(void **state)
{
	static struct ksyms kernel;
	struct name_table names;
	struct report_build build;
	bool is_said;

	announce(42);
	push_context(42, "shop");
	push_sample(50, 1);
	read_ring();
	name_table_init(&names, &recording.strings, &recording.store);
	assert_int_equal(name_table_collect(&names, &recording.aggregate), 0);
	name_table_resolve(&names, &recording.files);
	assert_int_equal(report_build_init(&build, &recording.aggregate, &names, &kernel), 0);
	is_said = strcmp(build.report.strings[build.report.processes[0].context],
			 "service.name=shop") == 0;
	report_build_deinit(&build);
	name_table_deinit(&names);
	assert_true(is_said);
}

static void contexts_that_are_malformed_are_refused(void **state)
{
	announce(42);
	push_context(42, "shop");
	record.context.text_bytes = 0; /* with text */
	push();
	record.context.text_bytes = TM_CONTEXT_MAX + 1;
	push();
	read_ring();
	assert_int_equal(reader.bad_records, 2);
	assert_string_equal(context_of(42), "service.name=shop");
}

static void contexts_without_memory_are_counted_as_lost(void **state)
{
	char name[128], kept[256] = "";
	unsigned i;

	announce(42);
	read_ring();
	recording.budget.limit = recording.budget.used;
	for (i = 0; i < 10000 && reader.announces_lost == 0; i++) {
		(void)snprintf(kept, sizeof(kept), "%s", context_of(42));
		(void)snprintf(name, sizeof(name), "%0100u", i);
		push_context(42, name);
		read_ring();
	}
	assert_int_equal(reader.announces_lost, 1);
	assert_string_equal(context_of(42), kept);
	recording.budget.limit = RECORDING_BYTES;
	push_context(42, "shop");
	read_ring();
	assert_string_equal(context_of(42), "service.name=shop");
	assert_int_equal(reader.announces_lost, 1);
}

#define with_ring(test) cmocka_unit_test_setup_teardown(test, make_ring, end_ring)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_ring(contexts_reach_their_process_behind_its_announcement),
		with_ring(reports_have_what_their_processes_say),
		with_ring(contexts_that_are_malformed_are_refused),
		with_ring(contexts_without_memory_are_counted_as_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
