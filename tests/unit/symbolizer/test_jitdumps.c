/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_jitdumps - jitdumps of processes: whose they are, and which code a sample was in
 */

#include "symbolizer/names/jitdumps.h"
#include "symbolizer/names/name_table.h"
#include "symbolizer/names/symbol_jobs.h"
#include "symbolizer/profile/aggregate_merge.h"
#include "tests/unit/parser/jitdump_query.h"
#include "tests/unit/symbolizer/unwind_jobs_fixture.h"

#include <sys/mman.h>

#define TGID   JITDUMP_BUILDER_PID
#define NUMBER 5u
#define LEAF   0x10u /* in code of BASE */

static struct jit_files jit;
static struct symbol_jobs symbols;
static int file; /* the jitdump */

static int begin_dumps(void **state)
{
	int r = begin(state);

	recording.aggregate.period_ns = 10101010;
	file = memfd_create("jitdump", MFD_CLOEXEC);
	jit_files_init(&jit, &recording.processes, &recording.store, &client);
	symbol_jobs_init(&symbols, &recording.files, &recording.store, &client, wire[0]);
	symbols.vdso_wanted = false;
	symbols.jit = &jit;
	return r;
}

static int end_dumps(void **state)
{
	jit_files_deinit(&jit);
	symbol_jobs_deinit(&symbols);
	result_blob_free(&compiled);
	(void)close(file);
	return end(state);
}

/* Of TGID and its children; @jitdump: a file number. */
static void announce(uint32_t tgid, uint32_t jitdump)
{
	make_process(&record, tgid, "jit", TM_FILE_NONE, "", 0, "", 0);
	record.event.exec_id = 1;
	record.event.start_boottime = 1;
	record.event.ktime = 10;
	record.event.flags |= TM_FLAG_ANONYMOUS;
	record.process.jitdump_file = jitdump;
	assert_int_equal(process_announce(&recording.processes, &record.process), 0);
}

static void announce_file(void)
{
	make_file(&record, NUMBER, 105, "jit-77.dump\0", 12);
	record.event.ktime = 10;
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
}

static int reopened(void)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void round_of_dumps(void)
{
	parser_client_round(&client);
	unwind_jobs_round(&jobs);
	jitdumps_round(&jit, &recording.files, wire[0]);
	jit_files_round(&jit, UINT64_MAX);
	symbol_jobs_round(&symbols, false);
}

/* The announcements, then the descriptor. */
static void hand_over(void)
{
	announce_file();
	announce(TGID, NUMBER);
	files_opened(&recording.files, NUMBER, 10, reopened());
	round_of_dumps();
}

static void write_dump(void)
{
	assert_int_equal(pwrite(file, dump.bytes, dump.count, 0), (ssize_t)dump.count);
}

/* One of those that wait for the parser. */
static void answer_next(void)
{
	struct parser_message message, answered = {.kind = PARSER_RESULT};
	int fd;

	round_of_dumps();
	assert_int_equal(take_request(&message, &fd), 0);
	assert_int_equal(message.kind, PARSER_JITDUMP);
	(void)close(fd);
	answered.id = message.id;
	fd = tm_region_seal_blob("codes", compiled.data, compiled.bytes);
	assert_int_equal(tm_fdpass_send(parser[1], &answered, sizeof(answered), fd, 0), 0);
	(void)close(fd);
	round_of_dumps();
}

/* The parser reads the jitdump as it is now. */
static void read_dump_now(void)
{
	write_dump();
	compile();
	jit_files_end_interval(&jit, UINT64_MAX);
	answer_next();
}

static void sample_of(uint32_t tgid, uint64_t ktime, uint64_t address)
{
	const uint64_t words[] = {ANON_WORD(address), ANON_WORD(BASE + 0x1000) | TM_FRAME_RETURN};

	make_sample(&record, ktime, tgid, "c", words, 0, 2);
	record.event.exec_id = 1;
	record.event.start_boottime = 1;
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
}

/* "leaf;caller count" of each sample, as the report names it, sorted by the first one. */
static const char *profile(void)
{
	static char text[512];
	const struct aggregate *aggregate = &recording.aggregate;
	struct name_table names;
	size_t at = 0;

	name_table_init(&names, &recording.strings, &recording.store);
	jit_names_prepare(&names.jit, &recording.aggregate, 0);
	text[0] = '\0';
	for (uint32_t i = 0; i < aggregate->sample_count; i++) {
		const struct aggregate_sample *sample = &aggregate->samples[i];
		const struct aggregate_stack *stack = &aggregate->stacks[sample->stack];

		assert_int_equal(sample->code_ktime, 0);
		assert_int_equal(sample->value, sample->count * aggregate->period_ns);
		for (uint32_t f = 0; f < stack->count; f++) {
			struct jit_name name =
				jit_names_find(&names.jit, stack->process, stack->frames[f]);

			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", f ? ";" : "",
					       name.text ? name.text : "?");
			if (name.line)
				at += (size_t)snprintf(text + at, sizeof(text) - at, "(%s:%u)",
						       name.path, name.line);
		}
		at += (size_t)snprintf(text + at, sizeof(text) - at, " %u\n",
				       (unsigned)sample->count);
	}
	name_table_deinit(&names);
	return text;
}

static enum tm_unnamed reason_of_leaf(void)
{
	const struct aggregate_stack *stack = &recording.aggregate.stacks[0];
	struct name_table names;
	enum tm_unnamed reason;

	name_table_init(&names, &recording.strings, &recording.store);
	jit_names_prepare(&names.jit, &recording.aggregate, 0);
	reason = name_table_reason(&names, stack->frames[0], stack->process);
	name_table_deinit(&names);
	return reason;
}

static void samples_at_one_address_are_of_the_code_that_lay_there(void **state)
{
	hand_over();
	for (uint64_t ktime = 100; ktime < 400; ktime += 10)
		sample_of(TGID, ktime, BASE + LEAF);
	assert_int_equal(recording.aggregate.stack_count, 1);
	assert_int_equal(recording.aggregate.timed, 30);
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_load(&dump, 50, 1, "caller", BASE + 0xff0, 0x20);
	jitdump_builder_load(&dump, 100, 2, "first", BASE, 64);
	jitdump_builder_load(&dump, 200, 3, "second", BASE, 64);
	jitdump_builder_load(&dump, 350, 4, "third", BASE, 64);
	read_dump_now();
	assert_string_equal(profile(), "first;caller 10\nsecond;caller 15\nthird;caller 5\n");
	assert_int_equal(recording.aggregate.stack_count, 3);
	assert_int_equal(recording.aggregate.timed, 0);
}

static void address_of_a_code_is_that_of_its_call(void **state)
{
	const struct aggregate_stack *stack;
	struct name_table names;

	hand_over();
	sample_of(TGID, 100, BASE + LEAF);
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_load(&dump, 50, 1, "caller", BASE + 0xff0, 0x10); /* ends at the return */
	jitdump_builder_load(&dump, 50, 2, "leaf", BASE, 64);
	read_dump_now();
	name_table_init(&names, &recording.strings, &recording.store);
	jit_names_prepare(&names.jit, &recording.aggregate, 0);
	stack = &recording.aggregate.stacks[0];
	assert_true(jit_names_find(&names.jit, stack->process, stack->frames[0]).address ==
		    BASE + LEAF);
	assert_true(jit_names_find(&names.jit, stack->process, stack->frames[1]).address ==
		    BASE + 0xfff);
	name_table_deinit(&names);
	assert_string_equal(profile(), "leaf;caller 1\n");
}

static void lines_of_a_jitdump_are_those_of_its_frames(void **state)
{
	hand_over();
	sample_of(TGID, 100, BASE + LEAF);
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_lines(&dump, 40, BASE, 2);
	jitdump_builder_line(&dump, BASE, 7, "a.js");
	jitdump_builder_line(&dump, BASE + LEAF + 1, 8, "a.js");
	jitdump_builder_end(&dump);
	jitdump_builder_load(&dump, 50, 2, "leaf", BASE, 64);
	read_dump_now();
	assert_string_equal(profile(), "leaf(a.js:7);? 1\n");
}

static void jitdump_goes_to_no_other_reader(void **state)
{
	struct tm_wire message;
	int fd;

	hand_over();
	no_request();
	assert_int_equal(tm_fdpass_recv(wire[1], &message, sizeof(message), &fd, MSG_DONTWAIT), 0);
	assert_int_equal(message.kind, TM_WIRE_UNWIND_TABLE); /* an empty one */
	assert_int_equal(message.number, NUMBER);
	(void)close(fd);
	assert_int_equal(recording.files.open, 0);
	assert_int_equal(jit.open, 1);
}

static void jitdump_that_grows_is_read_again(void **state)
{
	hand_over();
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_load(&dump, 50, 1, "caller", BASE + 0xff0, 0x20);
	read_dump_now();
	sample_of(TGID, 100, BASE + LEAF);
	assert_string_equal(profile(), "?;caller 1\n");
	jitdump_builder_load(&dump, 90, 2, "leaf", BASE, 64);
	sample_of(TGID, 110, BASE + LEAF);
	read_dump_now();
	sample_of(TGID, 110, BASE + LEAF);
	assert_int_equal(recording.processes.items[0].dump_version, 2);
}

/* What was sampled before its jitdump was known has no time. */
static void without_a_time_only_code_that_was_never_replaced_is_named(void **state)
{
	announce(TGID, TM_FILE_NONE);
	sample_of(TGID, 100, BASE + LEAF);
	assert_int_equal(recording.aggregate.timed, 0);
	hand_over();
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_load(&dump, 50, 1, "caller", BASE + 0xff0, 0x20);
	jitdump_builder_load(&dump, 50, 2, "first", BASE, 64);
	jitdump_builder_load(&dump, 200, 3, "second", BASE, 64);
	read_dump_now();
	assert_string_equal(profile(), "?;caller 1\n");
}

static void jitdump_of_another_process_names_nothing(void **state)
{
	hand_over();
	announce(TGID + 1, NUMBER);
	files_reopened(&recording.files, NUMBER, 10, reopened());
	round_of_dumps();
	assert_int_equal(jit.open, 2);
	sample_of(TGID + 1, 100, BASE + LEAF);
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_load(&dump, 50, 2, "leaf", BASE, 64);
	read_dump_now();
	answer_next();
	assert_int_equal(reason_of_leaf(), TM_UNNAMED_MAP_REFUSED);
}

static void jitdump_with_another_clock_names_nothing(void **state)
{
	hand_over();
	sample_of(TGID, 100, BASE + LEAF);
	jitdump_builder_begin(&dump, 1);
	jitdump_builder_load(&dump, 50, 2, "leaf", BASE, 64);
	read_dump_now();
	assert_int_equal(reason_of_leaf(), TM_UNNAMED_MAP_REFUSED);
}

/* A child is announced with the jitdump of its parent, whose descriptor came long ago. */
static void known_jitdump_is_asked_for_once_more(void **state)
{
	struct tm_wire message;
	int fd;

	hand_over();
	assert_int_equal(tm_fdpass_recv(wire[1], &message, sizeof(message), &fd, MSG_DONTWAIT), 0);
	(void)close(fd);
	announce(TGID + 1, NUMBER);
	round_of_dumps();
	assert_int_equal(tm_fdpass_recv(wire[1], &message, sizeof(message), &fd, MSG_DONTWAIT), 0);
	assert_int_equal(message.kind, TM_WIRE_FILE_AGAIN);
	assert_int_equal(message.number, NUMBER);
	announce(TGID + 1, NUMBER);
	round_of_dumps();
	assert_int_equal(tm_fdpass_recv(wire[1], &message, sizeof(message), &fd, MSG_DONTWAIT),
			 TM_FDPASS_E_AGAIN);
}

/* Then the shapes of stacks stay; what lay at an address when is not known any more. */
static void merging_forgets_the_times(void **state)
{
	hand_over();
	for (uint64_t ktime = 100; ktime < 400; ktime += 10)
		sample_of(TGID, ktime, BASE + LEAF);
	assert_int_equal(recording.aggregate.sample_count, 30);
	assert_true(aggregate_merge(&recording.aggregate));
	assert_int_equal(recording.aggregate.sample_count, 1);
	assert_int_equal(recording.aggregate.samples[0].count, 30);
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_load(&dump, 50, 1, "caller", BASE + 0xff0, 0x20);
	jitdump_builder_load(&dump, 50, 2, "first", BASE, 64);
	jitdump_builder_load(&dump, 200, 3, "second", BASE, 64);
	read_dump_now();
	assert_string_equal(profile(), "?;caller 30\n");
}

/* A record cannot have the words that a report makes. */
static void word_of_no_code_names_nothing(void **state)
{
	hand_over();
	sample_of(TGID, 100, JIT_NAMES_CODE | (uint64_t)JIT_NAMES_VERSION_MASK << 32 | UINT32_MAX);
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_load(&dump, 50, 2, "leaf", BASE, 64);
	read_dump_now();
	assert_string_equal(profile(), "?;? 1\n");
}

#define with_dumps(test) cmocka_unit_test_setup_teardown(test, begin_dumps, end_dumps)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_dumps(samples_at_one_address_are_of_the_code_that_lay_there),
		with_dumps(address_of_a_code_is_that_of_its_call),
		with_dumps(lines_of_a_jitdump_are_those_of_its_frames),
		with_dumps(jitdump_goes_to_no_other_reader),
		with_dumps(jitdump_that_grows_is_read_again),
		with_dumps(without_a_time_only_code_that_was_never_replaced_is_named),
		with_dumps(jitdump_of_another_process_names_nothing),
		with_dumps(jitdump_with_another_clock_names_nothing),
		with_dumps(known_jitdump_is_asked_for_once_more),
		with_dumps(merging_forgets_the_times),
		with_dumps(word_of_no_code_names_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
