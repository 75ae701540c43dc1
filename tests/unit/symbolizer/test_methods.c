/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_methods - how long a language runtime's functions are known, and what is not believed
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/profile/reader.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

#define EPOCH TM_EPOCH_NS

static struct recording recording;
static struct threads threads;
static union make_record record;

static int begin(void **state)
{
	assert_int_equal(recording_make(&recording), 0);
	threads_init(&threads, &recording.seed);
	threads.budget.limit = UINT64_MAX;
	threads.methods = &recording.methods;
	return 0;
}

static int end(void **state)
{
	threads_deinit(&threads);
	assert_int_equal(recording_end(&recording), 0);
	return 0;
}

static int announce(uint64_t number, const char *name, uint64_t ktime)
{
	make_method(&record, number, name, "/srv/work.py", "", 0);
	record.event.ktime = ktime;
	return methods_announce(&recording.methods, &record.method);
}

static const char *name_of(uint64_t number)
{
	const struct method *method = methods_find(&recording.methods, number);

	return method ? method->texts : NULL;
}

static void pass(uint64_t watermark)
{
	(void)tm_retire_run(&recording.queue, watermark);
}

static void method_is_known_for_two_epochs(void **state)
{
	assert_int_equal(announce(7, "work", EPOCH), 0);
	pass(3 * EPOCH);
	assert_string_equal(name_of(7), "work");
	pass(3 * EPOCH + 1);
	assert_null(name_of(7));
	assert_int_equal(recording.methods.live, 0);
	assert_int_equal(announce(7, "work", 4 * EPOCH), 0);
	assert_string_equal(name_of(7), "work");
}

static void repeated_record_renews_it(void **state)
{
	(void)announce(7, "work", EPOCH);
	(void)announce(7, "work", 2 * EPOCH);
	pass(4 * EPOCH);
	assert_string_equal(name_of(7), "work");
	assert_int_equal(recording.methods.conflicts, 0);
	pass(4 * EPOCH + 1);
	assert_null(name_of(7));
}

static void sampled_method_stays_until_it_was_reported(void **state)
{
	(void)announce(7, "work", EPOCH);
	methods_note_use(&recording.methods, 7, &(struct tm_event){.ktime = EPOCH + 1});
	pass(100 * EPOCH);
	assert_string_equal(name_of(7), "work");
	methods_forget(&recording.methods);
	pass(100 * EPOCH + 1);
	assert_null(name_of(7));
}

static void reported_method_stays_for_its_time(void **state)
{
	(void)announce(7, "work", EPOCH);
	methods_note_use(&recording.methods, 7, &(struct tm_event){.ktime = 2 * EPOCH});
	methods_forget(&recording.methods);
	pass(4 * EPOCH);
	assert_string_equal(name_of(7), "work");
	pass(4 * EPOCH + 1);
	assert_null(name_of(7));
}

static void record_may_come_after_its_sample(void **state)
{
	methods_note_use(&recording.methods, 7, &(struct tm_event){.ktime = EPOCH});
	assert_null(name_of(7));
	(void)announce(7, "work", EPOCH + 1);
	assert_string_equal(name_of(7), "work");
}

static void other_contents_of_a_number_are_refused(void **state)
{
	(void)announce(7, "work", 1);
	(void)announce(7, "other", 2);
	assert_string_equal(name_of(7), "work");
	assert_int_equal(recording.methods.conflicts, 1);
	make_method(&record, 7, "work", "/srv/work.py", "\x80", 1);
	(void)methods_announce(&recording.methods, &record.method);
	make_method(&record, 7, "work", "/srv/work.py", "", 0);
	record.method.first_line++;
	(void)methods_announce(&recording.methods, &record.method);
	assert_int_equal(recording.methods.conflicts, 3);
	assert_int_equal(recording.methods.announced, 4);
}

static void text_that_was_not_in_memory_may_come_later(void **state)
{
	make_method(&record, 7, "", "/srv/work.py", "", 0);
	record.method.flags = TM_METHOD_NOT_RESIDENT;
	(void)methods_announce(&recording.methods, &record.method);
	assert_string_equal(name_of(7), "");
	(void)announce(7, "work", 2);
	assert_string_equal(name_of(7), "work");
	make_method(&record, 7, "", "/srv/work.py", "", 0);
	record.method.flags = TM_METHOD_NOT_RESIDENT;
	(void)methods_announce(&recording.methods, &record.method);
	assert_string_equal(name_of(7), "work");
	assert_int_equal(recording.methods.conflicts, 0);
}

/* A part of the line table of function 7: @fill all over. */
static int announce_part(unsigned part, char fill, uint16_t bytes, uint16_t flags)
{
	char lines[TM_METHOD_LINES_MAX];

	memset(lines, fill, sizeof(lines));
	make_method(&record, 7, part ? "" : "work", part ? "" : "/srv/work.py", lines, bytes);
	record.method.lines_part = (uint16_t)part;
	record.method.flags = flags;
	return methods_announce(&recording.methods, &record.method);
}

/* The lines that are known of function 7. */
static void expect_lines(const char *parts, uint32_t bytes, uint32_t flags)
{
	const struct method *method = methods_find(&recording.methods, 7);

	assert_non_null(method);
	assert_string_equal(method->texts, "work");
	assert_int_equal(method->content.flags, flags);
	assert_int_equal(method->content.bytes - method->content.lines, bytes);
	assert_int_equal(recording.methods.owner_bytes[method->owner],
			 sizeof(*method) + method->content.bytes);
	for (uint32_t i = 0; i < bytes; i++)
		assert_int_equal(method->texts[method->content.lines + i],
				 parts[i / TM_METHOD_LINES_MAX]);
}

static void line_table_grows_by_its_parts(void **state)
{
	const uint16_t part = TM_METHOD_LINES_MAX;

	for (unsigned i = 0; i < 2; i++) { /* in the next epoch once more */
		(void)announce_part(0, 'a', part, TM_METHOD_LINES_CUT);
		(void)announce_part(1, 'b', part, TM_METHOD_LINES_CUT);
		(void)announce_part(2, 'c', 10, TM_METHOD_LINES_CUT);
		expect_lines("abc", 2u * part + 10, TM_METHOD_LINES_CUT);
	}
	assert_int_equal(recording.methods.conflicts, 0);
	(void)announce_part(0, 'x', part, TM_METHOD_LINES_CUT);
	(void)announce_part(0, 'a', part, 0);
	(void)announce_part(1, 'x', part, TM_METHOD_LINES_CUT);
	(void)announce_part(2, 'c', 11, TM_METHOD_LINES_CUT);
	assert_int_equal(recording.methods.conflicts, 4);
	expect_lines("abc", 2u * part + 10, TM_METHOD_LINES_CUT);
}

static void part_needs_the_one_before_it(void **state)
{
	const uint16_t part = TM_METHOD_LINES_MAX;

	(void)announce_part(1, 'b', 10, 0);
	assert_null(name_of(7));
	(void)announce_part(0, 'a', part, TM_METHOD_LINES_CUT);
	(void)announce_part(2, 'c', 10, 0);
	(void)announce_part(1, 'b', 0, TM_METHOD_NOT_RESIDENT);
	expect_lines("a", part, TM_METHOD_LINES_CUT);
	(void)announce_part(1, 'b', part, TM_METHOD_LINES_CUT);
	(void)announce_part(2, 'c', 10, 0);
	expect_lines("abc", 2u * part + 10, 0);
	assert_int_equal(recording.methods.conflicts, 0);
}

static void part_needs_memory(void **state)
{
	const uint64_t limit = recording.budget.limit;

	(void)announce_part(0, 'a', TM_METHOD_LINES_MAX, TM_METHOD_LINES_CUT);
	for (unsigned room = 10; room < 12; room++) { /* not even as much as he would leave */
		recording.budget.limit = recording.budget.used + room;
		assert_int_equal(announce_part(1, 'b', 11, 0), BUDGET_E_SPENT);
	}
	assert_int_equal(recording.methods.full, 2);
	expect_lines("a", TM_METHOD_LINES_MAX, TM_METHOD_LINES_CUT);
	recording.budget.limit = limit;
}

static void full_budget_is_counted(void **state)
{
	struct budget small = {.limit = 20000};
	struct methods methods;
	uint64_t number = 1;

	methods_init(&methods, &recording.processes, &small, &recording.queue);
	make_method(&record, number, "work", "/srv/work.py", "", 0);
	while (methods_announce(&methods, &record.method) == 0)
		record.method.number = ++number;
	assert_in_range(number, 20, 400);
	assert_int_equal(methods.full, 1);
	methods_note_use(&methods, 1000, &(struct tm_event){.ktime = 1});
	assert_non_null(methods_find(&methods, 1));
	assert_null(methods_find(&methods, number));
	methods_deinit(&methods);
	assert_int_equal(small.used, 0);
}

/* Sends 500 functions with long line tables. Return: how many of them are known. */
static unsigned flood(struct reader *reader, uint32_t tgid, uint64_t first)
{
	static const char lines[4000];
	unsigned known = 0;

	for (uint64_t number = first; number < first + 500; number++) {
		make_method(&record, number, "f", "/x.py", lines, sizeof(lines));
		record.event.tgid = tgid;
		record.event.start_boottime = 1000 + tgid;
		memcpy(reader->record, &record, record.event.bytes);
		reader_record(reader, record.event.bytes);
		known += name_of(number) != NULL;
	}
	return known;
}

/* Processes 42 and 43 are of one owner, 44 of another one. By chance, one in METHODS_OWNERS seeds
 * would not tell them apart. */
static void two_owners(void)
{
	recording.seed = (struct hash_seed){{1, 2}};
	make_process(&record, 42, "a", 1, "p\0", 2, "a\0kube\0", 7);
	assert_int_equal(process_announce(&recording.processes, &record.process), 0);
	make_process(&record, 43, "a", 1, "p\0", 2, "pod\0a\0kube\0", 11);
	assert_int_equal(process_announce(&recording.processes, &record.process), 0);
	make_process(&record, 44, "b", 1, "p\0", 2, "b\0kube\0", 7);
	assert_int_equal(process_announce(&recording.processes, &record.process), 0);
}

static void owner_takes_no_more_than_it_leaves(void **state)
{
	static struct reader reader;
	struct budget budget = {.limit = 1 << 20};
	unsigned first, second, third;

	reader_init(&reader, &recording.aggregate, &recording.queue);
	methods_init(&recording.methods, &recording.processes, &budget, &recording.queue);
	two_owners();
	first = flood(&reader, 42, 1000);
	second = flood(&reader, 43, 2000);
	third = flood(&reader, 44, 3000);
	assert_in_range(first, 100, 131); /* of 262 that fit */
	assert_int_equal(second, 0);
	assert_in_range(third, 40, 66);
	assert_int_equal(reader.announces_lost, 1500 - first - third);
	pass(10 * EPOCH);
	assert_in_range(flood(&reader, 43, 4000), 100, 131);
	methods_deinit(&recording.methods);
	assert_int_equal(budget.used, 0);
	methods_init(&recording.methods, &recording.processes, &recording.budget, &recording.queue);
	tm_retire_deinit(&recording.queue);
	reader_deinit(&reader);
}

static void owner_leaves_numbers_to_others(void **state)
{
	struct tm_event event = {.tgid = 42, .start_boottime = 1042, .ktime = 1};
	struct budget budget = {.limit = UINT64_MAX};
	struct methods methods;

	two_owners();
	methods_init(&methods, &recording.processes, &budget, /* queue= */ NULL);
	for (uint64_t number = 1; number <= METHODS_MAX; number++)
		methods_note_use(&methods, number, &event);
	assert_int_equal(methods.live, METHODS_MAX / 2 + 1);
	assert_int_equal(methods.full, METHODS_MAX / 2 - 1);
	make_method(&record, METHODS_MAX + 1, "work", "/srv/work.py", "", 0);
	record.event.tgid = 44;
	record.event.start_boottime = 1044;
	assert_int_equal(methods_announce(&methods, &record.method), 0);
	assert_non_null(methods_find(&methods, METHODS_MAX + 1));
	methods_deinit(&methods);
}

static void copy_has_what_was_sampled(void **state)
{
	struct budget budget = {.limit = UINT64_MAX};
	struct methods copy;

	(void)announce(7, "work", 1);
	(void)announce(8, "rest", 1);
	methods_note_use(&recording.methods, 7, &(struct tm_event){.ktime = 1});
	methods_note_use(&recording.methods, 9, &(struct tm_event){.ktime = 1});
	methods_init(&copy, &recording.processes, &budget, /* queue= */ NULL);
	methods_copy_sampled(&recording.methods, &copy);
	methods_forget(&recording.methods);
	pass(10 * EPOCH);
	assert_int_equal(recording.methods.live, 0);
	assert_string_equal(methods_find(&copy, 7)->texts, "work");
	assert_null(methods_find(&copy, 8));
	assert_null(methods_find(&copy, 9));
	methods_deinit(&copy);
	assert_int_equal(budget.used, 0);
}

/* A thread may sleep for hours; each report shows the part of it with the stack of its last one. */
static void method_in_a_stack_that_is_kept_stays(void **state)
{
	const uint64_t words[] = {METHOD_WORD(7, 1), METHOD_WORD(7, 2), FILE_WORD(1, 2)};
	const uint64_t others[] = {FILE_WORD(1, 2)};
	struct thread *thread;

	(void)announce(7, "work", 1);
	make_sample(&record, 2, 42, "c", words, 0, 3);
	thread = threads_get(&threads, &record.event);
	threads_keep_stack(&threads, thread, &record.sample);
	threads_keep_stack(&threads, thread, &record.sample);
	make_waker(&record, 42, 1);
	threads_keep_waker(&threads, thread, &record.sample);
	pass(100 * EPOCH);
	assert_string_equal(name_of(7), "work");
	make_sample(&record, 3, 42, "c", others, 0, 1);
	threads_keep_stack(&threads, thread, &record.sample);
	pass(101 * EPOCH);
	assert_string_equal(name_of(7), "work");
	threads_remove(&threads, thread);
	pass(102 * EPOCH);
	assert_null(name_of(7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(method_is_known_for_two_epochs, begin, end),
		cmocka_unit_test_setup_teardown(repeated_record_renews_it, begin, end),
		cmocka_unit_test_setup_teardown(sampled_method_stays_until_it_was_reported, begin,
						end),
		cmocka_unit_test_setup_teardown(reported_method_stays_for_its_time, begin, end),
		cmocka_unit_test_setup_teardown(record_may_come_after_its_sample, begin, end),
		cmocka_unit_test_setup_teardown(other_contents_of_a_number_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(text_that_was_not_in_memory_may_come_later, begin,
						end),
		cmocka_unit_test_setup_teardown(line_table_grows_by_its_parts, begin, end),
		cmocka_unit_test_setup_teardown(part_needs_the_one_before_it, begin, end),
		cmocka_unit_test_setup_teardown(part_needs_memory, begin, end),
		cmocka_unit_test_setup_teardown(full_budget_is_counted, begin, end),
		cmocka_unit_test_setup_teardown(owner_takes_no_more_than_it_leaves, begin, end),
		cmocka_unit_test_setup_teardown(owner_leaves_numbers_to_others, begin, end),
		cmocka_unit_test_setup_teardown(copy_has_what_was_sampled, begin, end),
		cmocka_unit_test_setup_teardown(method_in_a_stack_that_is_kept_stays, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
