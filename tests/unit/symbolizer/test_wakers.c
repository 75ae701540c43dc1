/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_wakers - a sleep is shown with the stack of whoever ended it, a thread or an interrupt
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shared/event_check_ring.h"
#include "symbolizer/output/report_build.h"
#include "symbolizer/profile/reader.h"
#include "symbolizer/profile/waker_join.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

#define SLEEPER 42
#define WAKER   43
#define SINCE   1000

/* Symbols of 16 bytes each. */
enum {
	PROGRAM,
	TRY,
	WAKE,
	SOFTIRQ,
	TIMER_ENTRY,
	READ,
	SCHEDULE,
	SYMBOLS
};
static const struct {
	struct tm_kernel_table header;
	struct tm_kernel_module module;
	struct tm_kernel_symbol symbols[SYMBOLS];
	char names[112];
} table = {
	{TM_KERNEL_MAGIC, 1, SYMBOLS, 112},
	{1, 0, 0x1000},
	{{0x0, 8, 0},
	 {0x10, 22, 0},
	 {0x20, 37, 0},
	 {0x30, 47, 0},
	 {0x40, 63, 0},
	 {0x50, 84, 0},
	 {0x60, 93, 0}},
	"\0kernel\0bpf_prog_hook\0try_to_wake_up\0wake_it_x\0handle_softirqs\0"
	"asm_sysvec_apic_time\0vfs_read\0__schedule",
};

#define IN(symbol)  (KERNEL_WORD(0, 16 * (symbol) + 4) | TM_FRAME_RETURN)
#define USER_FRAMES 2u
static const uint64_t by_thread[] = {IN(PROGRAM), IN(TRY),          IN(WAKE),
				     IN(READ),    VDSO_WORD(0x100), VDSO_WORD(0x200)};
static const uint64_t by_timer[] = {IN(PROGRAM), IN(TRY),  IN(WAKE),         IN(TIMER_ENTRY),
				    IN(READ),    IN(READ), VDSO_WORD(0x100), VDSO_WORD(0x200)};
static const uint64_t by_softirq[] = {IN(PROGRAM),     IN(TRY),  IN(SOFTIRQ),
				      IN(TIMER_ENTRY), IN(READ), VDSO_WORD(0x100),
				      VDSO_WORD(0x200)};
static const uint64_t asleep[] = {IN(PROGRAM), IN(SCHEDULE), IN(READ), VDSO_WORD(0x300)};

static struct ksyms kernel;
static struct recording recording;
static struct reader reader;
static struct threads threads;
static struct thread_rows rows;
static struct name_table names;
static struct report_build build;
static union make_record record;

static int begin(void **state)
{
	assert_int_equal(recording_make(&recording), 0);
	kernel = KSYMS_NULL;
	assert_int_equal(ksyms_parse(&kernel, &table, sizeof(table)), 0);
	threads_init(&threads, &recording.seed);
	threads.budget.limit = RECORDING_BYTES;
	reader_init(&reader, &recording.aggregate, &recording.queue);
	reader.order.budget = &recording.budget;
	reader.threads = &threads;
	reader.rows = &rows;
	reader.kernel = &kernel;
	name_table_init(&names, &recording.strings, &recording.store);
	build = (struct report_build){0};
	return 0;
}

static int end(void **state)
{
	if (build.frames.strings)
		report_build_deinit(&build);
	name_table_deinit(&names);
	reader_deinit(&reader);
	threads_deinit(&threads);
	assert_int_equal(threads.budget.used, 0);
	assert_int_equal(recording_end(&recording), 0);
	return 0;
}

static void push(void)
{
	memcpy(reader.record, &record, record.event.bytes);
	reader_record(&reader, record.event.bytes);
	assert_int_equal(reader.bad_records, 0);
}

#define push_waker(ktime, words, since)                                                         \
	push_waker_of(ktime, words, (uint16_t)(sizeof(words) / sizeof(*(words)) - USER_FRAMES), \
		      since)

static void push_waker_of(uint64_t ktime, const uint64_t *words, uint16_t kernel_frames,
			  uint64_t since)
{
	make_sample(&record, ktime, WAKER, "waker", words, kernel_frames, USER_FRAMES);
	make_waker(&record, SLEEPER, since);
	push();
}

static void push_sleep(uint64_t ktime, enum tm_thread_state state, uint64_t since)
{
	make_sample(&record, ktime, SLEEPER, "sleeper", asleep, 3, 1);
	make_off_cpu(&record, state, 500);
	record.sample.since = since;
	push();
}

static const struct report *finish(void)
{
	reader_release(&reader, REORDER_ALL);
	assert_int_equal(name_table_collect(&names, &recording.aggregate), 0);
	name_table_resolve(&names, &recording.files);
	assert_int_equal(report_build_init(&build, &recording.aggregate, &names, &kernel), 0);
	return &build.report;
}

/* The frames of the only sample, from the root, with ';' between them. */
static const char *shown(const struct report *report)
{
	static char text[512];
	const struct report_stack *stack = &report->stacks[report->samples[0].stack];
	size_t used = 0;

	assert_int_equal(report->sample_count, 1);
	for (uint32_t i = stack->count; i-- > 0;) {
		const struct report_frame *frame =
			&report->frames[report->stack_frames[stack->first + i]];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s;",
					 report->strings[report_outermost(report, frame)->name]);
		assert_true(used < sizeof(text));
	}
	return text;
}

static void thread_that_wakes_another_one_is_shown_behind_its_state(void **state)
{
	const struct report *report;

	push_waker(1500, by_thread, SINCE);
	push_sleep(1600, TM_THREAD_INTERRUPTIBLE, SINCE);
	report = finish();
	assert_string_equal(shown(report), "[vdso]+0x300;vfs_read;[interruptible];[woken by waker];"
					   "[vdso]+0x200;[vdso]+0x100;vfs_read;wake_it_x;");
	assert_true(report->samples[0].woken);
	assert_false(report_sample_ends_in_state(&report->samples[0]));
	assert_int_equal(report->off_cpu.woken, 1);
	assert_int_equal(report->samples[0].value, 500);
}

static void an_interrupt_has_no_frames_of_what_it_interrupted(void **state)
{
	push_waker(1500, by_timer, SINCE);
	push_sleep(1600, TM_THREAD_UNINTERRUPTIBLE, SINCE);
	assert_string_equal(shown(finish()),
			    "[vdso]+0x300;vfs_read;[uninterruptible];[woken in interrupt];"
			    "asm_sysvec_apic_time;wake_it_x;");
}

static void a_softirq_is_named_even_where_an_interrupt_runs_it(void **state)
{
	push_waker(1500, by_softirq, SINCE);
	push_sleep(1600, TM_THREAD_IO_WAIT, SINCE);
	assert_string_equal(shown(finish()), "[vdso]+0x300;vfs_read;[io_wait];[woken in softirq];"
					     "asm_sysvec_apic_time;handle_softirqs;");
}

static void a_stack_of_a_waker_that_is_cut_says_so(void **state)
{
	make_sample(&record, 1500, WAKER, "waker", by_thread, 4, 1);
	make_waker(&record, SLEEPER, SINCE);
	record.sample.user_stop = TM_STOP_AHEAD;
	push();
	push_sleep(1600, TM_THREAD_INTERRUPTIBLE, SINCE);
	assert_string_equal(shown(finish()),
			    "[vdso]+0x300;vfs_read;[interruptible];[woken by waker];"
			    "[truncated: ahead];[vdso]+0x100;vfs_read;wake_it_x;");
}

static void assert_no_waker(void)
{
	const struct report *report = finish();

	assert_string_equal(shown(report), "[vdso]+0x300;vfs_read;");
	assert_false(report->samples[0].woken);
	assert_true(report_sample_ends_in_state(&report->samples[0]));
	assert_int_equal(report->off_cpu.woken, 0);
}

static void the_waker_of_another_sleep_is_none(void **state)
{
	push_waker(1500, by_thread, SINCE - 1);
	push_sleep(1600, TM_THREAD_INTERRUPTIBLE, SINCE);
	assert_no_waker();
}

static void the_wait_for_a_cpu_has_no_waker(void **state)
{
	push_waker(1500, by_thread, SINCE);
	push_sleep(1600, TM_THREAD_RUNNABLE, SINCE);
	assert_no_waker();
}

static void a_waker_is_used_once(void **state)
{
	push_waker(1500, by_thread, SINCE);
	push_sleep(1600, TM_THREAD_INTERRUPTIBLE, SINCE);
	push_sleep(1700, TM_THREAD_INTERRUPTIBLE, SINCE);
	assert_int_equal(finish()->off_cpu.woken, 1);
}

static void equal_sleeps_share_a_stack(void **state)
{
	const struct report *report;

	for (uint64_t i = 0; i < 3; i++) {
		push_waker(1500 + 1000 * i, by_thread, SINCE + 1000 * i);
		push_sleep(1600 + 1000 * i, TM_THREAD_INTERRUPTIBLE, SINCE + 1000 * i);
	}
	push_waker(9500, by_timer, 9000);
	push_sleep(9600, TM_THREAD_INTERRUPTIBLE, 9000);
	report = finish();
	assert_int_equal(report->sample_count, 2);
	assert_int_equal(report->samples[0].count, 3);
	assert_int_equal(report->off_cpu.woken, 4);
	/* The sleep, both wakers, and each with the sleep. */
	assert_int_equal(report->stack_count, 5);
}

static void a_waker_without_memory_is_counted_and_its_sleep_is_shown(void **state)
{
	push_sleep(900, TM_THREAD_RUNNABLE, 800); /* makes the thread */
	reader_release(&reader, REORDER_ALL);
	aggregate_deinit(&recording.aggregate);
	push_waker(1500, by_thread, SINCE);
	push_sleep(1600, TM_THREAD_INTERRUPTIBLE, SINCE);
	threads.stack_bytes = THREADS_STACK_BYTES;
	assert_no_waker();
	assert_int_equal(threads.lost.wakers, 1);
	threads.stack_bytes = 0;
}

static void a_waker_whose_file_is_gone_is_left_out(void **state)
{
	const uint64_t words[] = {IN(TRY), FILE_WORD(7, 0x10), VDSO_WORD(0x100)};

	make_file(&record, 7, 1, "a", 2);
	push();
	push_waker(1500, words, SINCE);
	reader_release(&reader, 1550);
	files_retire(&recording.files, 7, 1550);
	push_sleep(1600, TM_THREAD_INTERRUPTIBLE, SINCE);
	assert_no_waker();
}

static void a_waker_that_claims_a_value_or_no_sleep_is_refused(void **state)
{
	make_sample(&record, 1500, WAKER, "waker", by_thread, 4, 2);
	make_waker(&record, SLEEPER, SINCE);
	assert_int_equal(tm_event_check_from_ring(&record, record.event.bytes), 0);
	record.sample.value = 1;
	assert_true(tm_event_check_from_ring(&record, record.event.bytes) < 0);
	make_waker(&record, SLEEPER, 0);
	record.sample.value = 0;
	assert_true(tm_event_check_from_ring(&record, record.event.bytes) < 0);
	make_waker(&record, SLEEPER, SINCE);
	record.sample.state = TM_THREAD_RUNNABLE;
	assert_true(tm_event_check_from_ring(&record, record.event.bytes) < 0);
	record.sample.kind = TM_SAMPLE_WAKER + 1;
	assert_true(tm_event_check_from_ring(&record, record.event.bytes) < 0);
}

#define case_of(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		case_of(thread_that_wakes_another_one_is_shown_behind_its_state),
		case_of(an_interrupt_has_no_frames_of_what_it_interrupted),
		case_of(a_softirq_is_named_even_where_an_interrupt_runs_it),
		case_of(a_stack_of_a_waker_that_is_cut_says_so),
		case_of(the_waker_of_another_sleep_is_none),
		case_of(the_wait_for_a_cpu_has_no_waker),
		case_of(a_waker_is_used_once),
		case_of(equal_sleeps_share_a_stack),
		case_of(a_waker_without_memory_is_counted_and_its_sleep_is_shown),
		case_of(a_waker_whose_file_is_gone_is_left_out),
		case_of(a_waker_that_claims_a_value_or_no_sleep_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
