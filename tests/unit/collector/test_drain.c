/* SPDX-License-Identifier: Apache-2.0 */
/* test_drain - records of the BPF rings are pushed without addresses, or dropped and counted */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <linux/bpf.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/drain.h"
#include "collector/percpu.h"
#include "shared/ring_reader.h"

#define BYTES  (64u << 10)
#define REGION (TM_RING_MIN_BYTES + TM_RING_HEADER_BYTES)

struct world {
	_Atomic uint64_t consumer, producer;
	_Alignas(8) uint8_t data[2 * BYTES];
	_Alignas(64) uint8_t region[REGION];
	_Alignas(8) uint8_t popped[TM_EVENT_MAX_BYTES];
	struct tm_ring_reader_page page;
	struct tm_ring_writer writer;
	struct tm_ring_reader reader;
	struct kallsyms symbols;
	struct opener_client opener;
	struct symbolizer_link link;
	struct file_requests files;
	struct bpfring ring;
	struct drain drain;
};

static int make(void **state)
{
	struct world *world = aligned_alloc(64, (sizeof(*world) + 63) & ~(size_t)63);
	const struct file_requests_kernel kernel = {0};

	if (!world)
		return -1;
	memset(world, 0, sizeof(*world));
	bpfring_init(&world->ring, &world->consumer, &world->producer, world->data, BYTES);
	world->opener.fd = -1;
	symbolizer_link_init(&world->link, -1);
	world->drain.writer = &world->writer;
	world->drain.symbols = &world->symbols;
	world->drain.files = &world->files;
	*state = world;
	return tm_ring_writer_init(&world->writer, world->region, REGION, &world->page, 1) ||
	       tm_ring_reader_init(&world->reader, world->region, REGION, &world->page) ||
	       file_requests_init(&world->files, &world->opener, &world->link, kernel) ||
	       drain_init(&world->drain, &world->ring, 1, 1);
}

static int unmake(void **state)
{
	struct world *world = *state;

	drain_deinit(&world->drain);
	file_requests_deinit(&world->files);
	free(world);
	return 0;
}

static void produce(struct world *world, const void *record, uint32_t bytes)
{
	uint32_t header[2] = {bytes, 0};
	static uint8_t all[8 + TM_EVENT_MAX_BYTES];

	memcpy(all, header, 8);
	memcpy(all + 8, record, bytes);
	for (uint32_t i = 0; i < ((bytes + 15) & ~7u); i++) {
		uint64_t at = (world->producer + i) & (BYTES - 1);

		world->data[at] = world->data[at + BYTES] = i < bytes + 8 ? all[i] : 0;
	}
	world->producer += (bytes + 15) & ~7u;
}

static void produce_sample(struct world *world, uint16_t kernel_frames)
{
	_Alignas(8) uint8_t memory[sizeof(struct tm_sample) + 8 * 4] = {0};
	struct tm_sample *sample = (void *)memory;

	sample->event.type = TM_EVENT_SAMPLE;
	sample->event.bytes = (uint32_t)(sizeof(*sample) + 8u * kernel_frames);
	sample->kernel_frames = kernel_frames;
	for (unsigned i = 0; i < kernel_frames; i++)
		sample->frames[i] = 0xffffffff81000000ull + i;
	produce(world, sample, sample->event.bytes);
}

static void drain(struct world *world)
{
	tm_ring_writer_refresh(&world->writer);
	drain_note(&world->drain);
	assert_int_equal(drain_run(&world->drain, 1), 0);
	tm_ring_publish(&world->writer, 1);
}

static int pop(struct world *world)
{
	uint64_t w;
	uint32_t bytes = 0;
	int r;

	assert_int_equal(tm_ring_reader_begin(&world->reader, &w), 0);
	r = tm_ring_pop(&world->reader, world->popped, sizeof(world->popped), &bytes);
	tm_ring_reader_commit(&world->reader);
	return r;
}

static void kernel_addresses_never_reach_the_shared_ring(void **state)
{
	struct world *world = *state;
	const struct tm_sample *sample = (const void *)world->popped;

	produce_sample(world, 3);
	drain(world);
	assert_int_equal(pop(world), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(sample->frames[i] >> TM_FRAME_KIND_SHIFT, TM_FRAME_KERNEL);
		assert_int_equal(sample->frames[i] & TM_FRAME_KOFFSET_MAX, 0);
		assert_int_equal(!!(sample->frames[i] & TM_FRAME_RETURN), i > 0);
	}
	assert_int_equal(world->symbols.unknown, 3);
	assert_int_equal(world->drain.pushed, 1);
}

static void fields_that_only_the_collector_needs_are_zeroed(void **state)
{
	struct world *world = *state;
	_Alignas(8) struct tm_file file = {
		.event = {.type = TM_EVENT_FILE, .bytes = sizeof(file)},
		.number = 9,
		.vm_start = 0x1000,
		.vm_end = 0x2000,
		.users = {7, 8},
	};
	const struct tm_file *out = (const void *)world->popped;

	produce(world, &file, sizeof(file));
	drain(world);
	assert_int_equal(pop(world), 0);
	assert_int_equal(out->number, 9);
	assert_int_equal(out->vm_start, 0);
	assert_int_equal(out->vm_end, 0);
	assert_true(!out->users[0] && !out->users[1]);
	assert_int_equal(world->files.entries[9].user_count, 2);
	assert_int_equal(world->files.queue.files[0]->vm_start, 0x1000);
}

static void malformed_records_are_counted_and_dropped(void **state)
{
	struct world *world = *state;
	struct tm_exit exit_record = {.event = {.type = TM_EVENT_EXIT, .bytes = 8}};
	_Alignas(8) struct tm_sample sample = {
		.event = {.type = TM_EVENT_SAMPLE, .bytes = sizeof(sample)},
		.user_frames = 500,
	};

	produce(world, &sample, sizeof(sample));
	produce(world, &exit_record, sizeof(exit_record));
	produce(world, "four", 4);
	sample.user_frames = 0;
	sample.kind = TM_SAMPLE_OFF_CPU;
	sample.value = 70;
	produce(world, &sample, sizeof(sample));
	drain(world);
	assert_int_equal(pop(world), TM_RING_E_EMPTY);
	assert_int_equal(world->drain.malformed, 2);
	assert_int_equal(world->drain.off_cpu.drops[TM_DROP_MALFORMED], 1);
	assert_int_equal(world->drain.off_cpu.drops_ns[TM_DROP_MALFORMED], 70);
	assert_int_equal(world->drain.announce_lost, 1);
	assert_int_equal(world->drain.pushed, 0);
}

static void full_shared_ring_drops_samples_and_keeps_the_balance(void **state)
{
	struct world *world = *state;
	struct tm_counts counts = {0};
	const unsigned taken = 4000;

	for (unsigned i = 0; i < taken; i++) {
		produce_sample(world, 4);
		drain(world);
	}
	assert_true(world->drain.shared_full > 0);
	assert_true(world->drain.pushed > 0);
	counts.taken = taken;
	counts.pushed = world->drain.pushed;
	counts.drops[TM_DROP_SHARED_FULL] = world->drain.shared_full;
	assert_int_equal(percpu_in_flight(&counts), 0);
}

static void announcements_may_use_the_reserve_and_samples_may_not(void **state)
{
	struct world *world = *state;
	const struct tm_exit record = {.event = {.type = TM_EVENT_EXIT, .bytes = sizeof(record)}};

	while (world->drain.shared_full == 0) {
		produce_sample(world, 4);
		drain(world);
	}
	produce(world, &record, sizeof(record));
	drain(world);
	assert_int_equal(world->drain.announce_lost, 0);
}

static void counters_of_levels_and_slots_add_up(void **state)
{
	const struct tm_level_counts level = {.taken = 10, .ring_full = 3, .bpf.exiting = 1};
	const struct tm_cpu_slot slot = {.hits = 20, .nested = 2, .no_ring = 1};
	struct tm_counts counts = {.pushed = 14};

	percpu_add_level(&counts, &level);
	percpu_add_level(&counts, &level);
	percpu_add_slot(&counts, &slot);
	assert_int_equal(counts.taken, 23);
	assert_int_equal(counts.hits, 20);
	assert_int_equal(counts.bpf.exiting, 2);
	assert_int_equal(counts.drops[TM_DROP_RING_FULL], 6);
	assert_int_equal(percpu_in_flight(&counts), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(kernel_addresses_never_reach_the_shared_ring),
		CASE(fields_that_only_the_collector_needs_are_zeroed),
		CASE(malformed_records_are_counted_and_dropped),
		CASE(full_shared_ring_drops_samples_and_keeps_the_balance),
		CASE(announcements_may_use_the_reserve_and_samples_may_not),
		CASE(counters_of_levels_and_slots_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
