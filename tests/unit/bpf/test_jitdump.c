/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_jitdump - the mapping of a jitdump is found among many, in steps, and forgotten when it goes
 */

#include "bpf/kernel_types.h"
#include "tests/unit/bpf/programs.h"
#include "tests/unit/bpf/sampled.h"

#define MARKER (SAMPLED_DATA + 0x10000000ull)
#define MANY   100
#define ENOUGH 8 /* samples to look at all of these, with the most that one may look at */
#define STEP   (TM_EPOCH_NS / 2) /* a sample reads the clock several times */

static void make_jit(void)
{
	sampled.registers.rip = SAMPLED_JIT;
}

static void map_marker(void)
{
	sampled_map(MARKER, 0x1000, VM_EXEC, SAMPLED_DUMP_FILE, 0);
}

/* Mappings below the marker. */
static void map_many(void)
{
	for (uint64_t i = 0; i < MANY; i++)
		sampled_map(SAMPLED_LIBRARY + 0x1000000 + 0x2000 * i, 0x1000, VM_EXEC,
			    SAMPLED_LIBRARY_FILE, 0);
}

static uint32_t announced(void)
{
	return bpf_maps_process()->jitdump_file;
}

/* The identity of a file that has a number. */
static struct tm_identity identity_of(uint32_t wanted)
{
	const struct tm_file_state *state;
	uint32_t number;

	for (uint32_t i = 0; (state = bpf_maps_file(i, &number)); i++)
		if (number == wanted)
			return state->identity;
	fail_msg("there is no file with the number %u", wanted);
	return (struct tm_identity){0};
}

static void sample_into_next_epoch(void)
{
	bpf_host_clock(STEP);
	(void)sampled_once();
	bpf_host_clock(0);
}

static void process_with_code_of_no_file_names_its_jitdump(void **state)
{
	make_jit();
	map_marker();
	(void)sampled_once();
	assert_true(bpf_maps_process()->event.flags & TM_FLAG_ANONYMOUS);
	assert_int_equal(bpf_maps_records(TM_EVENT_PROCESS), 1);
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 1);
	assert_int_equal(identity_of(announced()).ino, SAMPLED_INO(SAMPLED_DUMP_FILE));
	(void)sampled_once();
	assert_int_equal(bpf_maps_records(TM_EVENT_PROCESS), 1);
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 1);
}

static void jitdump_keeps_its_number_while_it_grows(void **state)
{
	struct tm_identity identity;
	uint32_t number;

	make_jit();
	map_marker();
	(void)sampled_once();
	number = announced();
	identity = identity_of(number);
	assert_int_equal(identity.size, 0);
	assert_int_equal(identity.mtime_sec, 0);
	assert_int_equal(identity.ctime_ns, 0);
	sampled_grow(SAMPLED_DUMP_FILE);
	sample_into_next_epoch();
	assert_true(bpf_maps_records(TM_EVENT_PROCESS) > 1);
	assert_int_equal(announced(), number);
}

static void process_without_such_code_is_not_searched(void **state)
{
	map_marker();
	sampled_row(LEAF, RULE_END);
	(void)sampled_take();
	assert_false(bpf_maps_process()->event.flags & TM_FLAG_ANONYMOUS);
	assert_int_equal(announced(), TM_FILE_NONE);
}

static void jitdump_behind_many_mappings_is_found_by_later_samples(void **state)
{
	unsigned samples = 1;

	make_jit();
	map_many();
	map_marker();
	(void)sampled_once();
	assert_int_equal(announced(), TM_FILE_NONE);
	for (; announced() == TM_FILE_NONE && samples < ENOUGH; samples++)
		(void)sampled_once();
	assert_int_not_equal(announced(), TM_FILE_NONE);
	assert_true(samples >= 2); /* one sample looks at no more than 64 mappings */
	assert_int_equal(bpf_maps_records(TM_EVENT_PROCESS), 2);
	for (unsigned i = 0; i < ENOUGH; i++)
		(void)sampled_once();
	assert_int_equal(bpf_maps_records(TM_EVENT_PROCESS), 2);
}

static void process_without_jitdump_is_not_searched_again_until_its_mappings_change(void **state)
{
	unsigned looked;

	make_jit();
	map_many();
	for (unsigned i = 0; i < ENOUGH; i++)
		(void)sampled_once();
	looked = bpf_host_kernel_reads();
	(void)sampled_once();
	looked = bpf_host_kernel_reads() - looked;
	assert_true(looked < MANY);
	assert_int_equal(bpf_maps_records(TM_EVENT_PROCESS), 1);
	map_marker();
	for (unsigned i = 0; i < ENOUGH && announced() == TM_FILE_NONE; i++)
		sample_into_next_epoch();
	assert_int_not_equal(announced(), TM_FILE_NONE);
}

static void jitdump_that_is_unmapped_is_named_no_longer(void **state)
{
	make_jit();
	map_marker();
	(void)sampled_once();
	assert_int_not_equal(announced(), TM_FILE_NONE);
	sampled_unmap(MARKER);
	sample_into_next_epoch();
	assert_int_equal(announced(), TM_FILE_NONE);
}

static void only_a_jitdumps_name_on_executable_memory_counts(void **state)
{
	static const char *const names[] = {
		"jit-.dump",   "jit-1x.dump",          "jit-1.dumps",   "jit-1.dum",
		"xjit-1.dump", "jit-12345678901.dump", "perf-1234.map", ""};

	make_jit();
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		sampled_name(SAMPLED_DUMP_FILE, names[i]);
		map_marker();
		sample_into_next_epoch();
		assert_int_equal(announced(), TM_FILE_NONE);
	}
	sampled_name(SAMPLED_DUMP_FILE, "jit-1.dump");
	sampled_map(MARKER, 0x1000, 0, SAMPLED_DUMP_FILE, 0);
	sample_into_next_epoch();
	assert_int_equal(announced(), TM_FILE_NONE);
	map_marker();
	sample_into_next_epoch();
	assert_int_not_equal(announced(), TM_FILE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(process_with_code_of_no_file_names_its_jitdump),
		SAMPLED_TEST(jitdump_keeps_its_number_while_it_grows),
		SAMPLED_TEST(process_without_such_code_is_not_searched),
		SAMPLED_TEST(jitdump_behind_many_mappings_is_found_by_later_samples),
		SAMPLED_TEST(
			process_without_jitdump_is_not_searched_again_until_its_mappings_change),
		SAMPLED_TEST(jitdump_that_is_unmapped_is_named_no_longer),
		SAMPLED_TEST(only_a_jitdumps_name_on_executable_memory_counts),
	};

	return SAMPLED_RUN(tests);
}
