/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_method_epochs - in a day of epochs no function of a runtime loses its name
 *
 * The kernel's side remembers of 64 functions that it announced them in this epoch, and announces
 * the others again. Functions of CPython, methods of Java and its stubs come and go; one is sampled
 * in the first epoch and in the last, and 38,000 once and then once again 17 hours later.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/runtime.h"
#include "symbolizer/output/report_build.h"
#include "symbolizer/profile/interval.h"
#include "symbolizer/profile/reader.h"
#include "tests/unit/symbolizer/make.h"

#define EPOCHS        (24 * 3600 / 15)
#define EPOCHS_REPORT 8u /* from one report to the next */
#define FUNCTIONS     1500u
#define SAMPLES       24u /* an epoch */
#define FRAMES        3u
#define RARE          100000u /* functions, each of which comes once in so many samples */
#define CACHE         64u
#define NAME_BYTES    64u
#define ALIVE_MAX     ((EPOCHS_REPORT + 3) * SAMPLES * FRAMES)

enum kind { /* of functions, by their numbers */
	PYTHON,
	JAVA,
	STUB,
	KINDS_N,
};

static struct budget_total total;
static struct budget tables;
static struct hash_seed seed = {{1, 2}};
static struct process_table processes;
static struct files files;
static struct methods methods;
static struct tm_retire_queue queue;
static struct interval *interval;
static struct reader reader;
static struct symbol_store store;
static struct ksyms kernel;
static union make_record record;
static struct {
	uint64_t number;
	uint64_t epoch;
} cache[CACHE];
static uint64_t frames_checked, announced;

static int begin(void **state)
{
	total = (struct budget_total)BUDGET_TOTAL_INIT(64 << 20);
	budget_divide(&total);
	tables = (struct budget){.limit = UINT64_MAX, .total = &total};
	kernel = KSYMS_NULL;
	interval = interval_open(&total, &seed, &processes, &files, &methods);
	process_table_init(&processes, &interval->strings, &tables, &queue);
	files_init(&files, &interval->strings, &tables, &queue);
	methods_init(&methods, &processes, &tables, &queue);
	reader_init(&reader, &interval->aggregate, &queue);
	return symbol_store_init(&store, 1 << 20, &seed);
}

static int end(void **state)
{
	reader_deinit(&reader);
	interval = interval_free(interval);
	process_table_deinit(&processes);
	files_deinit(&files);
	methods_deinit(&methods);
	tm_retire_deinit(&queue);
	symbol_store_deinit(&store);
	return total.used == 0 ? 0 : -1;
}

/* As it is displayed. */
static void name_of(uint64_t number, char name[NAME_BYTES])
{
	const unsigned long long value = number;

	if (number % KINDS_N == PYTHON)
		(void)snprintf(name, NAME_BYTES, "f%llu", value);
	else if (number % KINDS_N == JAVA)
		(void)snprintf(name, NAME_BYTES, "app.C%llu.f%llu", value / 64, value);
	else
		(void)snprintf(name, NAME_BYTES, "vtable chunk %llu", value);
}

static void read_record(void)
{
	memcpy(reader.record, &record, record.event.bytes);
	reader_record(&reader, record.event.bytes);
}

static void announce(uint64_t number, uint64_t ktime)
{
	char name[NAME_BYTES], class[NAME_BYTES];

	name_of(number, name);
	if (number % KINDS_N == PYTHON) {
		make_method(&record, number, name, "/srv/work.py", "\xf0\x00\x00\x00", 4);
	} else if (number % KINDS_N == STUB) {
		make_java_method(&record, number, "", name, "");
		record.method.flags = TM_METHOD_STUB;
	} else {
		(void)snprintf(class, sizeof(class), "app/C%llu+0x%llx",
			       (unsigned long long)number / 64, (unsigned long long)number);
		make_java_method(&record, number, class, strrchr(name, '.') + 1, "(I)V");
		make_java_lines(&record, "Work.java", "\x05", 2);
	}
	record.event.ktime = ktime;
	read_record();
	announced++;
}

/* As the kernel's side does: three functions, the caller with another place each time. */
static void sample(uint64_t epoch, uint64_t ktime, uint64_t leaf, uint64_t caller, uint64_t root)
{
	const uint64_t numbers[] = {leaf, caller, root};
	const uint64_t words[] = {METHOD_WORD(leaf, 0), METHOD_WORD(caller, ktime % 8),
				  METHOD_WORD(root, 0)};

	for (unsigned i = 0; i < FRAMES; i++) {
		unsigned at = numbers[i] % CACHE;

		if (cache[at].number == numbers[i] && cache[at].epoch == epoch)
			continue;
		cache[at].number = numbers[i];
		cache[at].epoch = epoch;
		announce(numbers[i], ktime);
	}
	make_sample(&record, ktime, 42, "python3", words, 0, FRAMES);
	read_record();
}

static void check_stack(const struct report_build *build, const struct aggregate *aggregate,
			uint32_t index)
{
	const struct aggregate_stack *words = &aggregate->stacks[index];
	const struct report *report = &build->report;
	const struct report_stack *shown = &report->stacks[index];
	char name[NAME_BYTES];

	assert_int_equal(shown->count, words->count);
	for (uint32_t i = 0; i < shown->count; i++) {
		const struct report_frame *frame =
			&report->frames[report->stack_frames[shown->first + i]];
		const struct report_call *call = report_outermost(report, frame);
		const uint64_t number = methods_number(words->frames[i]);

		name_of(number, name);
		assert_string_equal(report->strings[call->name], name);
		if (number % KINDS_N == JAVA)
			assert_int_equal(call->line, 5);
		frames_checked++;
	}
}

static void check_report(struct interval *closed)
{
	struct report_build build;
	struct name_table names;

	name_table_init(&names, &closed->strings, &store);
	assert_int_equal(name_table_collect(&names, &closed->aggregate), 0);
	assert_int_equal(report_build_init(&build, &closed->aggregate, &names, &kernel), 0);
	assert_int_equal(build.report.unnamed_frames, 0);
	for (uint32_t i = 0; i < closed->aggregate.stack_count; i++)
		check_stack(&build, &closed->aggregate, i);
	report_build_deinit(&build);
	name_table_deinit(&names);
}

static void pass(uint64_t watermark)
{
	reader_release(&reader, watermark);
	(void)tm_retire_run(&queue, watermark);
}

static void report(void)
{
	struct interval *closed = interval;

	assert_int_equal(interval_close(closed, &interval), 0);
	reader.aggregate = &interval->aggregate;
	check_report(closed);
	(void)interval_free(closed);
}

static void names_of_a_day_are_all_there(void **state)
{
	uint64_t settled = 0, rare = 0;

	for (uint64_t epoch = 1; epoch <= EPOCHS; epoch++) {
		const uint64_t from = epoch * TM_EPOCH_NS;

		for (uint64_t i = 0; i < SAMPLES; i++) {
			const uint64_t ktime = from + i * (TM_EPOCH_NS / SAMPLES);
			const uint64_t step = i % (SAMPLES / 2); /* each twice */

			/* Within an epoch, in which what was announced is not announced again. */
			pass(ktime - 1);
			if (epoch % EPOCHS_REPORT == 0 && i == SAMPLES / 2)
				report();
			sample(epoch, ktime, 2 + (epoch / 3 * 7 + step * step) % FUNCTIONS,
			       2 + i % 5, 2 + FUNCTIONS + rare++ % RARE);
		}
		if (epoch == 1 || epoch == EPOCHS)
			sample(epoch, from + TM_EPOCH_NS - 1, 2 + FUNCTIONS + RARE, 2, 3);
		assert_in_range(methods.live, 1, ALIVE_MAX);
		if (epoch == EPOCHS / 24)
			settled = total.used;
	}
	pass(UINT64_MAX);
	report();
	assert_true(rare > RARE && frames_checked > FRAMES * RARE);
	assert_in_range(announced, EPOCHS, (uint64_t)EPOCHS * SAMPLES * FRAMES);
	assert_in_range(total.used, 0, settled + (256 << 10));
	assert_int_equal(methods.conflicts, 0);
	assert_int_equal(methods.full, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_of_a_day_are_all_there, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
