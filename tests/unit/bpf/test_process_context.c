/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_process_context - what a process says of itself is found among its mappings, and announced
 */

#include <string.h>

#include "bpf/kernel_types.h"
#include "tests/unit/bpf/programs.h"
#include "tests/unit/bpf/sampled.h"

#define HEAD   SAMPLED_DATA
#define TEXT   (SAMPLED_LIBRARY + 0x100)
#define OTHER  0x400000000ull /* another mapping */
#define MANY   80
#define ENOUGH 8 /* samples to look at all of these, with the most that one may look at */
#define SOON   250000000ull /* enough for the first search after the one that found nothing */
#define WAITS  40
#define STEP   (TM_EPOCH_NS / 2) /* a sample reads the clock several times */

struct head { /* OTEP 4719 */
	char signature[8];
	uint32_t version;
	uint32_t bytes;
	uint64_t published;
	uint64_t text;
};

static const struct head valid = {{'O', 'T', 'E', 'L', '_', 'C', 'T', 'X'}, 2, 5, 77, TEXT};

static void publish(struct head head, const char *text)
{
	bpf_host_write(HEAD, &head, sizeof(head));
	bpf_host_write(TEXT, text, strlen(text));
}

static void expect(uint64_t published, const char *text)
{
	const struct tm_context *context = bpf_maps_context();

	assert_non_null(context);
	assert_int_equal(context->event.tgid, 100);
	assert_int_equal(context->event.start_boottime, 5000);
	assert_int_equal(context->event.exec_id, 3);
	assert_int_equal(context->published, published);
	assert_int_equal(context->text_bytes, strlen(text));
	assert_memory_equal(context->text, text, strlen(text));
}

/* What the last record says there is, and is not in it. */
static void expect_no_text(uint32_t text_bytes)
{
	const struct tm_context *context = bpf_maps_context();

	assert_non_null(context);
	assert_int_equal(context->event.bytes, sizeof(*context));
	assert_int_equal(context->text_bytes, text_bytes);
}

static unsigned announced(void)
{
	return bpf_maps_records(TM_EVENT_CONTEXT);
}

static void map_many(unsigned count)
{
	for (uint64_t i = 0; i < count; i++)
		sampled_map(SAMPLED_LIBRARY + 0x1000000 + 0x2000 * i, 0x1000, 0,
			    SAMPLED_LIBRARY_FILE, 0);
}

static void sample_into_next_epoch(void)
{
	bpf_host_clock(STEP);
	(void)sampled_once();
	bpf_host_clock(0);
}

static void named_memory_is_announced_with_the_process(void **state)
{
	publish(valid, "hello");
	sampled_name_memory(HEAD, "OTEL_CTX");
	(void)sampled_once();
	expect(77, "hello");
	assert_int_equal(announced(), 1);
	(void)sampled_once();
	assert_int_equal(announced(), 1);
	assert_int_equal(bpf_maps_records(TM_EVENT_PROCESS), 1);
}

static void memfd_is_as_good(void **state)
{
	publish(valid, "hello");
	sampled_map(HEAD, SAMPLED_BYTES, 0, SAMPLED_DUMP_FILE, 0);
	sampled_name(SAMPLED_DUMP_FILE, "memfd:OTEL_CTX");
	(void)sampled_once();
	expect(77, "hello");
}

static void both_programs_and_every_kind_of_code_find_it(void **state)
{
	publish(valid, "hello");
	sampled_name_memory(HEAD, "OTEL_CTX");
	sampled_row(LEAF, RULE_END);
	(void)sampled_take();
	assert_int_equal(announced(), 1);
	sampled.registers.rip = SAMPLED_JIT;
	(void)sampled_take(); /* announced once more, as one with code of no file */
	assert_int_equal(announced(), 2);
	expect(77, "hello");
}

static void other_names_are_not_looked_at(void **state)
{
	static const char *const memory[] = {"", "OTEL_CT", "OTEL_CTX2", "otel_ctx", "xOTEL_CTX"};
	static const char *const files[] = {
		"OTEL_CTX", "memfd:OTEL_CT", "memfd:", "memfd:OTEL_CTX2", "memfd_OTEL_CTX.so", ""};

	publish(valid, "hello");
	for (unsigned i = 0; i < sizeof(memory) / sizeof(memory[0]); i++) {
		sampled_name_memory(HEAD, memory[i]);
		sample_into_next_epoch();
	}
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		sampled_map(HEAD, SAMPLED_BYTES, 0, SAMPLED_DUMP_FILE, 0);
		sampled_name(SAMPLED_DUMP_FILE, files[i]);
		sample_into_next_epoch();
	}
	sampled_map(HEAD, SAMPLED_BYTES, VM_EXEC, SAMPLED_ANONYMOUS, 0);
	sampled_name_memory(HEAD, "OTEL_CTX");
	sample_into_next_epoch();
	assert_int_equal(announced(), 0);
	sampled_map(HEAD, SAMPLED_BYTES, 0, SAMPLED_ANONYMOUS, 0);
	sampled_name_memory(HEAD, "OTEL_CTX");
	sample_into_next_epoch();
	assert_int_equal(announced(), 1);
}

static void it_is_found_behind_many_mappings_by_later_samples(void **state)
{
	unsigned samples = 1;

	map_many(MANY);
	publish(valid, "hello");
	sampled_name_memory(HEAD, "OTEL_CTX");
	(void)sampled_once();
	assert_int_equal(announced(), 0);
	for (; announced() == 0 && samples < ENOUGH; samples++)
		(void)sampled_once();
	assert_int_equal(announced(), 1);
	for (unsigned i = 0; i < ENOUGH; i++)
		(void)sampled_once();
	assert_int_equal(announced(), 1);
	assert_int_equal(bpf_maps_records(TM_EVENT_PROCESS), 1);
}

/* As most do: soon after the start, which may have been sampled before. */
static void what_is_published_later_is_found_before_the_next_epoch(void **state)
{
	(void)sampled_once();
	publish(valid, "hello");
	sampled_name_memory(HEAD, "OTEL_CTX");
	(void)sampled_once();
	assert_int_equal(announced(), 0);
	bpf_host_clock(SOON);
	(void)sampled_once();
	(void)sampled_once();
	bpf_host_clock(0);
	assert_int_equal(announced(), 1);
	assert_int_equal(bpf_maps_records(TM_EVENT_PROCESS), 1);
}

/* Even while what is known of its mappings stays valid, which is up to a second. */
static void what_is_published_later_is_found_within_half_a_second(void **state)
{
	uint64_t first;

	first = sampled_once()->event.ktime;
	publish(valid, "hello");
	sampled_name_memory(HEAD, "OTEL_CTX");
	bpf_host_clock(SOON / 100);
	for (unsigned i = 0; i < 1000 && announced() == 0; i++)
		(void)sampled_once();
	bpf_host_clock(0);
	assert_int_equal(announced(), 1);
	assert_in_range(bpf_maps_context()->event.ktime - first, SOON / 2, 2 * SOON);
}

/* Where nothing is published, less and less is looked at. */
static void processes_without_context_are_searched_ever_more_rarely(void **state)
{
	unsigned reads[2] = {0};

	map_many(MANY / 2); /* so that a search costs more than the rest of a sample */
	for (unsigned i = 0; i < 2 * WAITS; i++) {
		unsigned before = bpf_host_kernel_reads();

		bpf_host_clock(SOON / 10);
		(void)sampled_once();
		bpf_host_clock(0);
		sampled_unmap(OTHER); /* the mappings change */
		sampled_map(OTHER, 0x1000, 0, SAMPLED_ANONYMOUS, 0);
		reads[i >= WAITS] += bpf_host_kernel_reads() - before;
	}
	print_message("kernel reads: %u, then %u\n", reads[0], reads[1]);
	assert_true(10 * reads[1] < 9 * reads[0]);
}

static void each_epoch_has_what_is_said_then(void **state)
{
	struct head head = valid;

	publish(head, "hello");
	sampled_name_memory(HEAD, "OTEL_CTX");
	(void)sampled_once();
	head.published = 78;
	head.bytes = 3;
	publish(head, "bye");
	sample_into_next_epoch();
	expect(78, "bye");
	head.published = 0; /* it is being changed */
	publish(head, "???");
	sample_into_next_epoch();
	expect(78, "bye");
}

static void publish_again(uint64_t address)
{
	struct head head = valid;

	head.published = 78;
	if (address == TEXT)
		bpf_host_write(HEAD, &head, sizeof(head));
}

static void what_changes_while_it_is_read_is_not_announced(void **state)
{
	publish(valid, "hello");
	sampled_name_memory(HEAD, "OTEL_CTX");
	bpf_host_after_read(publish_again);
	(void)sampled_once();
	assert_int_equal(announced(), 0);
	sample_into_next_epoch(); /* as it is now, it stays */
	expect(78, "hello");
}

static void heads_that_say_nothing_are_not_announced(void **state)
{
	struct head heads[] = {valid, valid, valid, valid};

	heads[0].signature[7] = 'Y';
	heads[1].version = 3;
	heads[2].published = 0;
	heads[3].bytes = 0;
	sampled_name_memory(HEAD, "OTEL_CTX");
	for (unsigned i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		publish(heads[i], "hello");
		sample_into_next_epoch();
		assert_int_equal(announced(), 0);
	}
	publish(valid, "hello");
	sample_into_next_epoch();
	expect(77, "hello");
}

/* What a process maps first, and fills then; the mappings do not change by that. */
static void what_says_nothing_yet_is_looked_at_again_soon(void **state)
{
	struct head head = valid;

	head.published = 0;
	publish(head, "hello");
	sampled_name_memory(HEAD, "OTEL_CTX");
	(void)sampled_once();
	publish(valid, "hello");
	(void)sampled_once();
	assert_int_equal(announced(), 0);
	bpf_host_clock(SOON);
	(void)sampled_once();
	(void)sampled_once();
	bpf_host_clock(0);
	expect(77, "hello");
	assert_int_equal(announced(), 1);
	assert_int_equal(bpf_maps_records(TM_EVENT_PROCESS), 1);
}

static void one_that_says_nothing_does_not_hide_another(void **state)
{
	sampled_name_memory(HEAD, "OTEL_CTX");
	bpf_host_memory(OTHER, 0x1000);
	sampled_map(OTHER, 0x1000, 0, SAMPLED_ANONYMOUS, 0);
	sampled_name_memory(OTHER, "OTEL_CTX");
	bpf_host_write(OTHER, &valid, sizeof(valid));
	bpf_host_write(TEXT, "hello", 5);
	(void)sampled_once();
	(void)sampled_once();
	expect(77, "hello");
}

static void text_that_is_too_long_is_left_out(void **state)
{
	struct head head = valid;

	sampled_name_memory(HEAD, "OTEL_CTX");
	head.bytes = TM_CONTEXT_MAX;
	publish(head, "hello");
	sample_into_next_epoch();
	assert_int_equal(bpf_maps_context()->text_bytes, TM_CONTEXT_MAX);
	assert_int_equal(bpf_maps_context()->event.bytes,
			 sizeof(struct tm_context) + TM_CONTEXT_MAX);
	head.bytes++;
	publish(head, "hello");
	sample_into_next_epoch();
	expect_no_text(TM_CONTEXT_MAX + 1);
	head.bytes = UINT32_MAX;
	publish(head, "hello");
	sample_into_next_epoch();
	expect_no_text(UINT32_MAX);
	assert_int_equal(announced(), 3);
}

static void text_that_is_not_there_is_left_out(void **state)
{
	static const uint64_t nowhere[] = {0x1234, UINT64_MAX, 0};
	struct head head = valid;

	sampled_name_memory(HEAD, "OTEL_CTX");
	for (unsigned i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		head.text = nowhere[i];
		publish(head, "hello");
		sample_into_next_epoch();
		assert_int_equal(announced(), 1 + i);
		expect_no_text(5);
		assert_int_equal(bpf_maps_context()->published, 77);
	}
}

static void memory_that_was_mapped_away_is_read_no_longer(void **state)
{
	struct head head = valid;

	publish(valid, "hello");
	sampled_name_memory(HEAD, "OTEL_CTX");
	(void)sampled_once();
	head.signature[0] = 'X'; /* what is there now */
	publish(head, "hello");
	sampled_unmap(HEAD);
	sample_into_next_epoch();
	assert_int_equal(announced(), 2);
	expect_no_text(0);
	sample_into_next_epoch(); /* said once */
	assert_int_equal(announced(), 2);
	sampled_map(OTHER, 0x1000, 0, SAMPLED_ANONYMOUS, 0);
	sampled_name_memory(OTHER, "OTEL_CTX");
	bpf_host_memory(OTHER, 0x1000);
	bpf_host_write(OTHER, &valid, sizeof(valid));
	bpf_host_write(TEXT, "again", 5);
	sample_into_next_epoch();
	assert_int_equal(announced(), 3);
	expect(77, "again");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(named_memory_is_announced_with_the_process),
		SAMPLED_TEST(memfd_is_as_good),
		SAMPLED_TEST(both_programs_and_every_kind_of_code_find_it),
		SAMPLED_TEST(other_names_are_not_looked_at),
		SAMPLED_TEST(it_is_found_behind_many_mappings_by_later_samples),
		SAMPLED_TEST(what_is_published_later_is_found_before_the_next_epoch),
		SAMPLED_TEST(what_is_published_later_is_found_within_half_a_second),
		SAMPLED_TEST(processes_without_context_are_searched_ever_more_rarely),
		SAMPLED_TEST(each_epoch_has_what_is_said_then),
		SAMPLED_TEST(what_changes_while_it_is_read_is_not_announced),
		SAMPLED_TEST(heads_that_say_nothing_are_not_announced),
		SAMPLED_TEST(what_says_nothing_yet_is_looked_at_again_soon),
		SAMPLED_TEST(one_that_says_nothing_does_not_hide_another),
		SAMPLED_TEST(text_that_is_too_long_is_left_out),
		SAMPLED_TEST(text_that_is_not_there_is_left_out),
		SAMPLED_TEST(memory_that_was_mapped_away_is_read_no_longer),
	};

	return SAMPLED_RUN(tests);
}
