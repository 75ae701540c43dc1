/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_mapping_stands - a file whose mapping goes while it is identified is not that of the frame
 */

#include "tests/unit/bpf/sampled.h"

#define VM_EXEC 0x4

static unsigned
	moments; /* readings of kernel memory until the mapping changes; 0: it has changed */
static void (*change)(void);

static void after_reading(void)
{
	if (moments && !--moments)
		change();
}

/* Samples the leaf while its mapping changes behind that reading. Return: its frame. */
static uint64_t leaf_at(void **state, unsigned moment)
{
	const struct tm_sample *sample;

	(void)sampled_make(state);
	sampled_name(SAMPLED_DUMP_FILE, "another");
	bpf_host_after_kernel_read(after_reading);
	moments = moment;
	sample = sampled_once();
	assert_int_equal(moments, 0);
	return sample->frames[sample->kernel_frames];
}

/* How often kernel memory is read for a sample. */
static unsigned readings(void **state)
{
	(void)leaf_at(state, 0);
	return bpf_host_kernel_reads();
}

static bool is_resolved(uint64_t frame)
{
	return frame >> TM_FRAME_KIND_SHIFT != TM_FRAME_UNRESOLVED;
}

/* Return: inode of the file that the frame is of. */
static uint64_t inode_of(uint64_t frame)
{
	uint32_t number = frame >> TM_FRAME_FILE_SHIFT & TM_FRAME_FILE_MAX, found;
	struct tm_file_state *state;

	for (uint32_t i = 0; (state = bpf_maps_file(i, &found)); i++)
		if (found == number)
			return state->identity.ino;
	return 0;
}

/* The mapping is gone, and what was its struct file is that of a file that nobody has mapped. */
static void recycle(void)
{
	sampled_unmap(SAMPLED_CODE);
	sampled_recycle(SAMPLED_PROGRAM_FILE, SAMPLED_DUMP_FILE);
}

static void unmap(void)
{
	sampled_unmap(SAMPLED_CODE);
}

static void replace(void)
{
	sampled_map(SAMPLED_CODE, SAMPLED_CODE_BYTES, VM_EXEC, SAMPLED_LIBRARY_FILE, 0);
}

/* Whenever that happens. */
static void recycled_file_never_has_the_frame(void **state)
{
	unsigned last = readings(state), unresolved = 0;

	change = recycle;
	for (unsigned moment = 1; moment <= last; moment++) {
		uint64_t frame = leaf_at(state, moment);

		unresolved += !is_resolved(frame);
		if (is_resolved(frame))
			assert_int_equal(inode_of(frame), SAMPLED_INO(SAMPLED_PROGRAM_FILE));
	}
	assert_in_range(unresolved, 1, last - 1);
}

/* Nor does its path become that of the number. */
static void recycled_file_is_not_announced(void **state)
{
	unsigned last = readings(state);

	change = recycle;
	for (unsigned moment = 1; moment <= last; moment++) {
		(void)leaf_at(state, moment);
		if (bpf_maps_records(TM_EVENT_FILE))
			assert_string_equal((const char *)(bpf_maps_announced_file() + 1),
					    "library");
	}
}

static void frame_is_of_a_file_that_was_mapped_or_of_none(void **state)
{
	void (*const changes[])(void) = {unmap, replace};
	unsigned last = readings(state);

	for (unsigned moment = 2; moment < 2 * last; moment++) {
		uint64_t frame;

		change = changes[moment % 2];
		frame = leaf_at(state, moment / 2);
		if (is_resolved(frame) && inode_of(frame) != SAMPLED_INO(SAMPLED_LIBRARY_FILE))
			assert_int_equal(inode_of(frame), SAMPLED_INO(SAMPLED_PROGRAM_FILE));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(recycled_file_never_has_the_frame),
		SAMPLED_TEST(recycled_file_is_not_announced),
		SAMPLED_TEST(frame_is_of_a_file_that_was_mapped_or_of_none),
	};

	return SAMPLED_RUN(tests);
}
