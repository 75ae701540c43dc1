/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_report_need - no report and no writer allocates more than was charged before
 */

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/cleanup.h"
#include "symbolizer/output/functions.h"
#include "symbolizer/output/otlp.h"
#include "symbolizer/output/report_build.h"
#include "symbolizer/output/report_need.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

#define SAMPLES  4000u
#define DEPTH    24u

#define ALL      ((1u << OUTPUTS_FORMAT_N) - 1)
#define BUT_OTLP (ALL & ~(1u << OUTPUTS_OTLP)) /* requests are made of what memory is left */
#define LINES    (1u << OUTPUTS_FOLDED | 1u << OUTPUTS_SPEEDSCOPE | 1u << OUTPUTS_TABLE)

/* --- what is allocated: the linker puts these in place of the library's functions --- */

static struct recording recording;
static uint64_t held, peak, highest; /* peak: of a step */
static uint64_t charged;             /* the most that recording.budget had */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void __real_free(void *memory);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void __wrap_free(void *memory);

static void *note(void *memory)
{
	held += memory ? malloc_usable_size(memory) : 0;
	peak = held > peak ? held : peak;
	highest = held > highest ? held : highest;
	charged = recording.budget.used > charged ? recording.budget.used : charged;
	return memory;
}

static void *forget(void *memory)
{
	held -= memory ? malloc_usable_size(memory) : 0;
	return memory;
}

void *__wrap_malloc(size_t bytes)
{
	return note(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
	return note(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes)
{
	return note(__real_realloc(forget(memory), bytes));
}

void __wrap_free(void *memory)
{
	__real_free(forget(memory));
}

/* --- the report --- */

static struct name_table names;
static struct report_build build;
static struct ksyms kernel;
static union make_record record, waker;

/* Every second sample is a sleep that another thread ended. */
static void count_woken(void)
{
	uint64_t words[DEPTH], waker_words[DEPTH];

	for (uint32_t i = 0; i < SAMPLES; i++) {
		for (uint32_t f = 0; f < DEPTH; f++) {
			words[f] = FILE_WORD(1 + f % 7, f * 16);
			waker_words[f] = FILE_WORD(1 + f % 7, (i % 500 * 10 + f) * 16);
		}
		make_sample(&waker, 1, 9, "waker", waker_words, 0, DEPTH);
		make_waker(&waker, 10, 1);
		waker.sample.user_stop = i % 5 ? TM_STOP_NONE : TM_STOP_AHEAD;
		make_sample(&record, 1, 10, "c", words, 0, DEPTH);
		make_off_cpu(&record, TM_THREAD_IO_WAIT, 1000);
		record.event.tid = i;
		assert_int_equal(aggregate_add_woken(&recording.aggregate, &record.sample, 1000,
						     i % 2 ? &waker.sample : NULL),
				 0);
	}
}

/* @kinds: of leaf frames. */
static void count_samples(uint32_t kinds, uint32_t processes, uint32_t stop)
{
	uint64_t words[DEPTH];

	for (uint32_t i = 0; i < SAMPLES; i++) {
		for (uint32_t f = 0; f < DEPTH; f++)
			words[f] = FILE_WORD(1 + f % 7, (i % kinds * (DEPTH - f) / 2 + f) * 16);
		make_sample(&record, 1, 10 + i % processes, "c", words, 0, DEPTH);
		record.event.tid = i;
		record.sample.user_stop = i % 3 ? (uint8_t)stop : TM_STOP_NONE;
		assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	}
}

/* Of Java; each is sampled at many places. */
static void count_methods(void)
{
	uint64_t words[DEPTH];
	char name[64];

	for (uint32_t i = 0; i < SAMPLES; i++) {
		(void)snprintf(name, sizeof(name), "methodOfSomeLength%u", i);
		make_java_method(&record, i + 1, "org/example/application/SomeClass", name,
				 "(Ljava/lang/String;I)V");
		assert_int_equal(methods_announce(&recording.methods, &record.method), 0);
		for (uint32_t f = 0; f < DEPTH; f++)
			words[f] = METHOD_WORD(1 + (i + f) % SAMPLES, i % 64);
		make_sample(&record, 1, 10, "java", words, 0, DEPTH);
		assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	}
}

static int begin(void **state)
{
	assert_int_equal(recording_make(&recording), 0);
	recording.budget.limit = 4 * RECORDING_BYTES;
	name_table_init(&names, &recording.strings, &recording.store);
	return 0;
}

static int end(void **state)
{
	report_build_deinit(&build);
	name_table_deinit(&names);
	assert_int_equal(recording_end(&recording), 0);
	return 0;
}

static void build_it(void)
{
	uint64_t before = held, used = recording.budget.used;

	assert_int_equal(name_table_collect(&names, &recording.aggregate), 0);
	name_table_resolve(&names, &recording.files);
	peak = before;
	assert_int_equal(report_build_init(&build, &recording.aggregate, &names, &kernel), 0);
	build.report.memory = &recording.budget;
	build.report.hz = 99;
	assert_true(peak - before <=
		    report_need_build(&recording.aggregate) + recording.budget.used - used);
}

/* A writer's memory is what was foreseen, and not much less, and what it charges meanwhile. */
static void write_formats(uint32_t formats)
{
	for (unsigned format = 0; format < OUTPUTS_FORMAT_N; format++) {
		uint64_t need = report_need_write(&build.report, (enum outputs_format)format);
		_cleanup_(tm_closep) int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
		uint64_t before = held, used = recording.budget.used;

		if (!(formats >> format & 1))
			continue;
		peak = before;
		charged = used;
		assert_int_equal(outputs_write((enum outputs_format)format, fd, &build.report), 0);
		assert_true(held <= before); /* less: what the library made, and we free */
		held = before;
		assert_int_equal(recording.budget.used, used);
		print_message("format %d: %llu of %llu\n", format,
			      (unsigned long long)(peak - before), (unsigned long long)need);
		assert_true(peak - before <= need + charged - used);
		if (format == OUTPUTS_HTML || format == OUTPUTS_PPROF)
			assert_true(need <= 2 * (peak - before) + (1u << 20));
	}
}

static void top_functions_take_no_more(void)
{
	struct tm_top rows[TM_TOP_ROWS];
	uint64_t before = held;

	peak = before;
	assert_true(functions_top(&build.report, rows) > 0);
	assert_true(peak - before <= report_need_write(&build.report, OUTPUTS_FOLDED));
}

static void report_of_many_places_takes_what_was_foreseen(void **state)
{
	count_samples(SAMPLES, 1, TM_STOP_NONE);
	build_it();
	write_formats(ALL);
	top_functions_take_no_more();
}

static void report_of_many_samples_takes_what_was_foreseen(void **state)
{
	count_samples(3, 4000, TM_STOP_DEPTH);
	build_it();
	write_formats(ALL);
	top_functions_take_no_more();
}

static void report_of_many_wakers_takes_what_was_foreseen(void **state)
{
	count_woken();
	build_it();
	assert_int_equal(build.report.off_cpu.woken, SAMPLES / 2);
	write_formats(ALL);
	top_functions_take_no_more();
}

/* The rough figure, before names: of all @formats together. */
static void check_rough_figure(uint32_t formats)
{
	uint64_t before = held, about;

	highest = before;
	assert_int_equal(name_table_collect(&names, &recording.aggregate), 0);
	about = report_need_about(&recording.aggregate, &names, formats);
	name_table_resolve(&names, &recording.files);
	assert_int_equal(report_build_init(&build, &recording.aggregate, &names, &kernel), 0);
	build.report.hz = 99;
	write_formats(formats);
	print_message("%llu of about %llu\n", (unsigned long long)(highest - before),
		      (unsigned long long)about);
	assert_true(highest - before <= about);
}

static void rough_figure_is_enough(void **state)
{
	count_samples(SAMPLES, 100, TM_STOP_NO_TABLE);
	check_rough_figure(BUT_OTLP);
}

static void rough_figure_is_enough_for_wakers(void **state)
{
	count_woken();
	check_rough_figure(BUT_OTLP);
}

static void rough_figure_is_enough_for_methods(void **state)
{
	count_methods();
	check_rough_figure(BUT_OTLP);
}

/* Of what has many frames; a figure of all formats would have stacks merged in vain. */
static void lines_need_less_than_messages(void **state)
{
	uint64_t messages;

	count_samples(SAMPLES, 100, TM_STOP_NONE);
	assert_int_equal(name_table_collect(&names, &recording.aggregate), 0);
	messages = report_need_about(&recording.aggregate, &names, BUT_OTLP);
	assert_true(report_need_about(&recording.aggregate, &names, LINES) < messages * 2 / 3);
	assert_int_equal(report_need_about(&recording.aggregate, &names, 1u << OUTPUTS_PPROF),
			 messages);
	assert_int_equal(
		report_need_about(&recording.aggregate, &names, LINES | 1u << OUTPUTS_OTLP),
		messages);
}

static void rough_figure_of_lines_is_enough_for_many_places(void **state)
{
	count_samples(SAMPLES, 1, TM_STOP_NONE);
	check_rough_figure(LINES);
}

static void rough_figure_of_lines_is_enough_for_many_samples(void **state)
{
	count_samples(3, 4000, TM_STOP_DEPTH);
	check_rough_figure(LINES);
}

static void rough_figure_of_lines_is_enough_for_wakers(void **state)
{
	count_woken();
	check_rough_figure(LINES);
}

static void rough_figure_of_lines_is_enough_for_methods(void **state)
{
	count_methods();
	check_rough_figure(LINES);
}

static void format_without_memory_is_not_begun(enum outputs_format format)
{
	_cleanup_(tm_closep) int fd = memfd_create("output", MFD_CLOEXEC);

	recording.budget.limit = recording.budget.used + 4096;
	assert_int_equal(outputs_write(format, fd, &build.report), -ENOMEM);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	recording.budget.limit = 4 * RECORDING_BYTES;
}

static void what_is_charged_as_it_grows_is_not_begun_without_memory(void **state)
{
	count_samples(SAMPLES, 1, TM_STOP_NONE);
	build_it();
	format_without_memory_is_not_begun(OUTPUTS_HTML);
	format_without_memory_is_not_begun(OUTPUTS_OTLP);
}

/* Each part has tables for the whole report, but of its own samples' frames alone. */
static void report_is_sent_in_the_parts_that_memory_allows(void **state)
{
	_cleanup_(otlp_parts_deinit) struct otlp_parts parts = OTLP_PARTS_NULL;
	uint64_t samples = 0, whole, rest;
	unsigned count = 0;

	count_samples(SAMPLES, 1, TM_STOP_NONE);
	build_it();
	assert_int_equal(otlp_parts_init(&parts, &build.report, NULL), 0);
	assert_int_equal(otlp_parts_next(&parts, UINT64_MAX), 0);
	assert_int_equal(parts.samples, SAMPLES);
	whole = recording.budget.used;
	otlp_parts_deinit(&parts);
	rest = recording.budget.used;
	recording.budget.limit = rest + (whole - rest) * 3 / 4;
	assert_int_equal(otlp_parts_init(&parts, &build.report, NULL), 0);
	for (; otlp_parts_next(&parts, UINT64_MAX) == 0; count++)
		samples += parts.samples;
	assert_int_equal(samples, SAMPLES);
	assert_true(count > 1);
	recording.budget.limit = 4 * RECORDING_BYTES;
}

#define with_tables(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_tables(report_of_many_places_takes_what_was_foreseen),
		with_tables(report_of_many_samples_takes_what_was_foreseen),
		with_tables(report_of_many_wakers_takes_what_was_foreseen),
		with_tables(rough_figure_is_enough),
		with_tables(rough_figure_is_enough_for_wakers),
		with_tables(rough_figure_is_enough_for_methods),
		with_tables(lines_need_less_than_messages),
		with_tables(rough_figure_of_lines_is_enough_for_many_places),
		with_tables(rough_figure_of_lines_is_enough_for_many_samples),
		with_tables(rough_figure_of_lines_is_enough_for_wakers),
		with_tables(rough_figure_of_lines_is_enough_for_methods),
		with_tables(what_is_charged_as_it_grows_is_not_begun_without_memory),
		with_tables(report_is_sent_in_the_parts_that_memory_allows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
