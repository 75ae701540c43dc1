/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_java_attack - a process that lies about its JVM costs a bounded number of reads a frame, and
 * the walk ends, or goes on by other means
 */

#include <string.h>

#include "tests/model/random.h"
#include "tests/unit/bpf/java_stack.h"

#define READS_MAX 90u /* of a frame: 48 of the segment map, 12 of PcDescs, 30 of the rest */
#define AWAY      0x7000000000ull /* no memory */
#define CALL      0x40
#define ENDS      "StubRoutines (1)@63, 2008, 3008"
#define ROUNDS    3000

static const struct tm_java *java;
static uint64_t blob;

/* LEAF, called by compiled code with a scope. */
static int make_as(uint16_t layout)
{
	struct java_pc pc = {CALL, 0, 0};
	struct java_blob compiled = {.title = "nmethod",
				     .words = JAVA_WORDS,
				     .bytes = 0x100,
				     .method = 3,
				     .pcs = &pc,
				     .pc_count = 1};

	java_process_make_as(layout);
	java = &sampled.runtime.java;
	pc.scope = (int32_t)java_scopes_add(&compiled.scopes, 0, 1, 7);
	blob = java_process_blob(1, &compiled);
	java_stack_make(JAVA_CODE(blob) + CALL);
	java_process_met();
	return 0;
}

static int make(void **state)
{
	return make_as(TM_JAVA_ADDRESS);
}

/* Samples. Return: the text of the stack. */
static const char *take(void)
{
	unsigned reads = bpf_host_reads();
	const struct tm_sample *sample = sampled_take();

	reads = (bpf_host_reads() - reads) / 2;
	assert_true(reads <= READS_MAX * (sample->user_frames + 1u));
	assert_true(sample->user_frames >= 1);
	return java_stack_text(sample);
}

#define expect(stack) assert_string_equal(take(), "1000, " stack)

/* The blob is none: the walk goes on by frame pointer, of which there is none. */
#define LOST "jit+20250, stop 3"
/* Of the JVM's by its blob, but without a caller: the frame pointer is not followed. */
#define CUT "jit+20250, stop 10"

/* --- heaps ------------------------------------------------------------------------------------ */

static void segments_in_a_ring_end(void **state)
{
	static const uint8_t backs[] = {1, 2, 0xfe};
	uint64_t first = (blob - JAVA_MEMORY(1)) / JAVA_SEGMENT_BYTES;

	expect("inner@7, " ENDS);
	for (unsigned i = 0; i < sizeof(backs); i++) {
		for (uint64_t at = 0; at <= first + 8; at++)
			java_process_put(JAVA_SEGMENTS(1) + at, backs[i], 1);
		bpf_host_pass(1ull << 30); /* nothing is remembered any more */
		expect(LOST);
	}
}

/* Of the first segment there is only one with this distance. */
static void segment_that_leads_before_the_heap_is_none(void **state)
{
	uint64_t at = (JAVA_CODE(blob) + CALL - JAVA_MEMORY(1)) / JAVA_SEGMENT_BYTES;

	java_process_put(JAVA_SEGMENTS(1) + at, at + 1, 1);
	expect(LOST);
	java_process_put(JAVA_SEGMENTS(1) + at, 0xff, 1);
	expect(LOST);
	java_process_put(JAVA_SEGMENTS(1) + at, at, 1);
	expect("inner@7, " ENDS);
}

static void long_way_to_the_first_segment_ends(void **state)
{
	const struct java_blob large = {
		.title = "nmethod", .words = JAVA_WORDS, .bytes = 0x8000, .method = 3};
	uint64_t at, code = JAVA_CODE(java_process_blob(1, &large));

	at = (code + 0x7000 - JAVA_MEMORY(1)) / JAVA_SEGMENT_BYTES;
	for (uint64_t i = 0; i <= 60; i++)
		java_process_put(JAVA_SEGMENTS(1) + at - i, 1, 1);
	sampled_store(SAMPLED_SP, code + 0x7001);
	assert_null(strstr(take(), "outer"));
}

static void free_block_has_no_blob(void **state)
{
	java_process_put(JAVA_MEMORY(1) + java->block_used, 0, 1);
	expect(LOST);
}

static void shift_of_the_segments_may_be_anything(void **state)
{
	for (unsigned shift = 0; shift < 300; shift++) {
		make(state);
		java_process_put(JAVA_HEAP(1) + java->heap_shift, shift, 4);
		take();
	}
}

static void segment_map_that_is_not_in_memory_has_no_blob(void **state)
{
	static const uint64_t addresses[] = {0, AWAY, ~0ull, SAMPLED_DATA + SAMPLED_BYTES};

	for (unsigned i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		make(state);
		sampled_store(JAVA_HEAP(1) + java->heap_segments, addresses[i]);
		expect(LOST);
	}
}

static void heaps_may_be_anything(void **state)
{
	static const uint64_t counts[] = {0, 3, 0x7fffffff, 0xffffffff};
	static const uint64_t words[] = {0, 1, AWAY, ~0ull, SAMPLED_DATA};

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		make(state);
		java_process_put(JAVA_ARRAY + java->array_length, counts[i], 4);
		take();
	}
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const uint64_t at[] = {JAVA_STATE, JAVA_ARRAY + java->array_data, JAVA_ARRAY + 0x48,
				       JAVA_HEAP(1) + java->heap_low};

		for (unsigned k = 0; k < sizeof(at) / sizeof(at[0]); k++) {
			make(state);
			sampled_store(at[k], words[i]);
			assert_null(strstr(take(), "inner"));
		}
	}
}

/* --- blobs ------------------------------------------------------------------------------------ */

/* The last one, a stub, at the end of all memory; shorter than what is read at first. */
static void blob_at_the_end_of_memory_is_read(void **state)
{
	for (uint64_t segments = 2; segments < 6; segments++) {
		uint64_t block = JAVA_MEMORY(2) - segments * JAVA_SEGMENT_BYTES;
		uint64_t last = block + JAVA_BLOCK_BYTES, title = JAVA_DEBUG + 0x8000;

		make(state);
		for (uint64_t i = 0; i < segments; i++)
			java_process_put(JAVA_SEGMENTS(2) - segments + i, i, 1);
		java_process_put(block + java->block_used, 1, 1);
		bpf_host_write(title, "last", 5);
		sampled_store(last + java->blob_name, title);
		java_process_put(last + java->blob_frame_words, JAVA_WORDS, 4);
		sampled_store(last + java->blob_code, last + 0x60);
		sampled_store(SAMPLED_SP, last + 0x60 + 5);
		expect("last@4, " ENDS);
	}
}

static void frame_that_cannot_be_is_none(void **state)
{
	static const uint32_t words[] = {0, 1, 0x20001, 0x7fffffff, 0x80000000, 0xffffffff};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		java_process_put(blob + java->blob_frame_words, words[i], 4);
		expect(CUT);
	}
	java_process_put(blob + java->blob_frame_words, 0x20000, 4); /* beyond the stack */
	expect(CUT);
	java_process_put(blob + java->blob_frame_words, JAVA_WORDS, 4);
	expect("inner@7, " ENDS);
}

static void name_that_is_not_in_memory_is_that_of_a_stub(void **state)
{
	static const uint64_t names[] = {0, AWAY, ~0ull};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		sampled_store(blob + java->blob_name, names[i]);
		expect("@63, " ENDS);
		assert_int_equal(bpf_maps_method_of(java_stack_number())->flags,
				 TM_METHOD_STUB | TM_METHOD_NOT_RESIDENT);
	}
}

/* --- debug information ------------------------------------------------------------------------ */

static void debug_information_may_be_anywhere(void **state)
{
	static const uint64_t places[] = {0, AWAY, ~0ull, SAMPLED_STACK};

	for (uint16_t layout = 0; layout < TM_JAVA_SCOPES_N; layout++)
		for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
			make_as(layout);
			java_process_put(blob + java->nmethod_scopes, places[i],
					 layout == TM_JAVA_ADDRESS ? 8 : 4);
			take();
			make_as(layout);
			java_process_put(blob + java->nmethod_pcs, places[i], 4);
			take();
			make_as(layout);
			java_process_put(blob + java->nmethod_pcs_end, places[i], 4);
			take();
			make_as(layout);
			if (layout >= TM_JAVA_IMMUTABLE)
				sampled_store(blob + java->nmethod_immutable, places[i]);
			if (layout == TM_JAVA_MUTABLE)
				sampled_store(blob + java->nmethod_mutable, places[i]);
			take();
			assert_non_null(strstr(java_stack_text(bpf_maps_sample()), ENDS));
		}
}

/* Each names the one before it. */
static void chain_of_scopes_ends_with_the_depth_of_the_stack(void **state)
{
	const uint64_t scopes = SAMPLED_DATA + 0x20000;
	struct java_scopes one;

	for (uint32_t n = 1; n < 0x3ff0; n++) {
		one.count = 0;
		java_scopes_number(&one, 8 * (n - 1));
		java_scopes_number(&one, 2);
		java_scopes_number(&one, 1);
		assert_true(one.count <= 8);
		bpf_host_write(scopes + 8ull * n, one.bytes, one.count);
	}
	sampled_store(blob + java->nmethod_scopes, scopes);
	java_process_put(java_process_pcs() + 4, 8 * 0x3fef, 4);
	assert_int_equal(sampled_once()->user_stop, TM_STOP_DEPTH);
	assert_int_equal(bpf_maps_sample()->user_frames, TM_USER_FRAMES_MAX);
	/* With the method that all are inlined in as many as fit: its caller does not. */
	java_process_put(java_process_pcs() + 4, 8 * (TM_USER_FRAMES_MAX - 1), 4);
	assert_int_equal(sampled_once()->user_stop, TM_STOP_DEPTH);
	assert_int_equal(bpf_maps_sample()->user_frames, TM_USER_FRAMES_MAX);
}

static void pointers_of_a_method_may_be_anything(void **state)
{
	static const uint64_t words[] = {0, 1, AWAY, ~0ull, SAMPLED_DATA};
	const uint64_t at[] = {java_process_metadata() + 8,
			       JAVA_METHOD(1) + java->method_const,
			       JAVA_CONST(1) + java->const_pool,
			       JAVA_POOL(1) + java->pool_holder,
			       JAVA_POOL(1) + java->pool_entries + 24,
			       JAVA_POOL(1) + java->pool_entries + 32,
			       JAVA_POOL(1) + java->pool_entries + 40,
			       JAVA_KLASS(1) + java->class_name};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (unsigned k = 0; k < sizeof(at) / sizeof(at[0]); k++) {
			make(state);
			sampled_store(at[k], words[i]);
			take();
			assert_non_null(strstr(java_stack_text(bpf_maps_sample()), "@7, " ENDS));
		}
}

/* --- the interpreter -------------------------------------------------------------------------- */

static void interpreter_without_a_frame_is_left_by_its_frame_pointer(void **state)
{
	const struct java_blob interpreter = {
		.title = "Interpreter", .complete = -1, .bytes = 0x200};
	static const uint64_t pointers[] = {0, 1, AWAY, SAMPLED_SP - 0x100, JAVA_STUB_FP + 4};

	sampled_store(SAMPLED_SP, JAVA_CODE(java_process_blob(0, &interpreter)) + CALL);
	for (unsigned i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
		sampled.registers.rbp = pointers[i];
		assert_int_equal(sampled_take()->user_frames, 2);
		assert_int_not_equal(bpf_maps_sample()->user_stop, TM_STOP_NONE);
	}
	sampled.registers.rbp = JAVA_STUB_FP; /* a frame, but not of a method */
	expect("jit+ed0, 2008, 3008");
}

/* The call stub says that it called itself, with the same frame pointer. */
static void frame_that_is_its_own_caller_ends_with_the_depth_of_the_stack(void **state)
{
	sampled_words(JAVA_STUB_FP, JAVA_STUB_FP, JAVA_MEMORY(0) + 16 + JAVA_BLOB_BYTES + 64);
	take();
	assert_int_equal(bpf_maps_sample()->user_stop, TM_STOP_DEPTH);
}

/* --- anything --------------------------------------------------------------------------------- */

/* One word of what HotSpot has is something else, and one field of the layout is elsewhere. */
static void any_lie_ends(void **state)
{
	static const uint64_t values[] = {0, 1, 8, ~0ull, AWAY, SAMPLED_DATA, SAMPLED_STACK};
	uint64_t random = 1;

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t places[] = {SAMPLED_DATA, blob, JAVA_METHOD(1), SAMPLED_SP}, place;
		uint16_t *fields = (uint16_t *)&sampled.runtime.java;

		if (round % 16 == 0)
			make_as((uint16_t)(random_next(&random) % TM_JAVA_SCOPES_N));
		place = places[random_next(&random) % 4] + random_next(&random) % 0x400 / 8 * 8;
		sampled_store(place, random_next(&random) & 1 ? random_next(&random)
							      : values[random_next(&random) % 7]);
		if (round % 16 == 8) {
			fields[random_next(&random) % (sizeof(struct tm_java) / 2)] =
				(uint16_t)random_next(&random);
			sampled_install();
		}
		take();
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define JAVA_TEST(name) cmocka_unit_test_setup(name, make)
		JAVA_TEST(segments_in_a_ring_end),
		JAVA_TEST(segment_that_leads_before_the_heap_is_none),
		JAVA_TEST(long_way_to_the_first_segment_ends),
		JAVA_TEST(free_block_has_no_blob),
		JAVA_TEST(shift_of_the_segments_may_be_anything),
		JAVA_TEST(segment_map_that_is_not_in_memory_has_no_blob),
		JAVA_TEST(heaps_may_be_anything),
		JAVA_TEST(blob_at_the_end_of_memory_is_read),
		JAVA_TEST(frame_that_cannot_be_is_none),
		JAVA_TEST(name_that_is_not_in_memory_is_that_of_a_stub),
		JAVA_TEST(debug_information_may_be_anywhere),
		JAVA_TEST(chain_of_scopes_ends_with_the_depth_of_the_stack),
		JAVA_TEST(pointers_of_a_method_may_be_anything),
		JAVA_TEST(interpreter_without_a_frame_is_left_by_its_frame_pointer),
		JAVA_TEST(frame_that_is_its_own_caller_ends_with_the_depth_of_the_stack),
		JAVA_TEST(any_lie_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
