/* SPDX-License-Identifier: Apache-2.0 */
/* test_debug_paths - what a symbolizer can have opened besides sampled files: debug files at paths
 * that the collector makes, and nothing else
 */

#include "collector/debug_paths.h"
#include "tests/unit/collector/file_requests_fixture.h"

#define KTIME 5000000u
#define OWNER 1234u

static const struct options options = {
	.debug_root_count = 2,
	.debug_roots = {"usr/lib/debug", "srv/debug"},
};

/* File 12, usr/bin/ls of thread 77, was handed over. */
static void hand_over_file(struct world *world)
{
	static const char path[] = "ls\0bin\0usr";
	_Alignas(8) uint8_t memory[sizeof(struct tm_file) + 16] = {0};
	struct tm_file *file = (void *)memory;
	struct tm_wire message;

	file->event =
		(struct tm_event){.type = TM_EVENT_FILE, .bytes = sizeof(memory), .ktime = KTIME};
	file->identity.ino = 99;
	file->number = 12;
	file->own_tid = 77;
	file->mnt_ns = 5;
	file->path_bytes = sizeof(path);
	memcpy(file->text, path, sizeof(path));
	file_requests_announce(&world->files, file, 1000);
	file_requests_advance(&world->files, 1000);
	world->owner = OWNER;
	hand_over_next(world, 1000);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
}

static struct tm_wire wanted(enum tm_debug_form form, const char *text, size_t bytes)
{
	struct tm_wire message = {.kind = TM_WIRE_DEBUG_FILE,
				  .number = 12,
				  .value = KTIME,
				  .request = 77,
				  .form = (uint16_t)form,
				  .text_bytes = (uint16_t)bytes};

	memcpy(message.text, text, bytes < TM_WIRE_TEXT_MAX ? bytes : TM_WIRE_TEXT_MAX);
	return message;
}

static int ask(struct world *world, const struct tm_wire *message)
{
	int r = debug_paths_ask(&world->files, &options, message);

	file_requests_advance(&world->files, 2000);
	return r;
}

static void expect_paths(struct world *world, const char *paths, size_t bytes)
{
	const struct opener_request asked = request(world, 2000);

	assert_int_equal(asked.kind, OPENER_PATHS);
	assert_int_equal(asked.path_bytes, bytes);
	assert_memory_equal(asked.path, paths, bytes);
	assert_int_equal(asked.own_tid, bytes ? 77 : 0);
	assert_int_equal(asked.mnt_ns, bytes ? 5 : 0);
	assert_int_equal(asked.owner, bytes ? OWNER : 0);
	answer(world, TM_NO_FILE_GONE, 2000);
}

static void expect_no_file(struct world *world)
{
	struct tm_wire message;

	assert_int_equal(delivered(world, &message), TM_WIRE_OPENED);
	assert_int_equal(message.number, 12);
	assert_int_equal(message.request, 77);
	assert_int_equal(message.form, TM_NO_FILE_GONE);
}

#define EXPECT_PATHS(world, paths) expect_paths(world, paths, sizeof(paths))

static void build_id_is_looked_for_below_each_root(void **state)
{
	static const char build_id[] = "\xab\x01\x02\xfe";
	const struct tm_wire message = wanted(TM_DEBUG_BUILD_ID, build_id, 4);

	hand_over_file(*state);
	assert_int_equal(ask(*state, &message), 0);
	EXPECT_PATHS(*state, "usr/lib/debug/.build-id/ab/0102fe.debug\0"
			     "srv/debug/.build-id/ab/0102fe.debug");
	expect_no_file(*state);
}

static void link_is_looked_for_beside_its_file_and_below_each_root(void **state)
{
	const struct tm_wire message = wanted(TM_DEBUG_LINK, "ls.debug", 8);

	hand_over_file(*state);
	assert_int_equal(ask(*state, &message), 0);
	EXPECT_PATHS(*state, "usr/bin/ls.debug\0usr/bin/.debug/ls.debug\0"
			     "usr/lib/debug/usr/bin/ls.debug\0srv/debug/usr/bin/ls.debug");
	expect_no_file(*state);
}

static void shared_debug_file_is_looked_for_below_each_root(void **state)
{
	const struct tm_wire message = wanted(TM_DEBUG_ALT, "coreutils.debug", 15);

	hand_over_file(*state);
	assert_int_equal(ask(*state, &message), 0);
	EXPECT_PATHS(*state, "usr/lib/debug/.dwz/coreutils.debug\0"
			     "usr/lib/debug/.dwz/x86_64-linux-gnu/coreutils.debug\0"
			     "srv/debug/.dwz/coreutils.debug\0"
			     "srv/debug/.dwz/x86_64-linux-gnu/coreutils.debug");
	expect_no_file(*state);
}

static void file_that_was_not_handed_over_has_no_paths(void **state)
{
	struct tm_wire message = wanted(TM_DEBUG_LINK, "ls.debug", 8);

	hand_over_file(*state);
	message.value++;
	assert_int_equal(ask(*state, &message), 0);
	expect_paths(*state, "", 0);
	expect_no_file(*state);
}

static void anything_but_one_component_or_a_build_id_is_invalid(void **state)
{
	static const char long_name[UINT16_MAX] = {[0 ... UINT16_MAX - 1] = 'x'};
	static const struct {
		enum tm_debug_form form;
		const char *text;
		size_t bytes;
	} wrong[] = {
		{TM_DEBUG_LINK, "../../etc/shadow", 16},
		{TM_DEBUG_LINK, "/etc/shadow", 11},
		{TM_DEBUG_LINK, "a/b", 3},
		{TM_DEBUG_LINK, "..", 2},
		{TM_DEBUG_LINK, ".", 1},
		{TM_DEBUG_LINK, "", 0},
		{TM_DEBUG_LINK, "a\0b", 3},
		{TM_DEBUG_LINK, long_name, TM_WIRE_TEXT_MAX},
		{TM_DEBUG_LINK, long_name, UINT16_MAX},
		{TM_DEBUG_ALT, "../../etc/shadow", 16},
		{TM_DEBUG_BUILD_ID, "abc", 3},
		{TM_DEBUG_BUILD_ID, long_name, TM_BUILD_ID_MAX + 1},
		{TM_DEBUG_BUILD_ID, long_name, UINT16_MAX},
		{0, "ls.debug", 8},
		{TM_DEBUG_ALT + 1, "ls.debug", 8},
	};
	static const struct options none;
	struct world *world = *state;
	struct tm_wire message;

	hand_over_file(world);
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		message = wanted(wrong[i].form, wrong[i].text, wrong[i].bytes);
		assert_int_equal(ask(world, &message), -EBADMSG);
	}
	message = wanted(TM_DEBUG_LINK, "ls.debug", 8);
	assert_int_equal(debug_paths_ask(&world->files, &none, &message), -EBADMSG);
	assert_true(file_requests_idle(&world->files));
}

static void only_so_many_may_be_without_an_answer(void **state)
{
	const struct tm_wire message = wanted(TM_DEBUG_LINK, "ls.debug", 8);

	hand_over_file(*state);
	for (unsigned i = 0; i < TM_PATHS_IN_FLIGHT; i++)
		assert_int_equal(ask(*state, &message), 0);
	assert_int_equal(ask(*state, &message), -EBADMSG);
}

static void descriptor_is_handed_on_only_from_a_file_system_that_no_process_serves(void **state)
{
	const struct tm_wire wish = wanted(TM_DEBUG_LINK, "ls.debug", 8);
	struct world *world = *state;
	struct tm_wire message;

	hand_over_file(world);
	world->any_file = true;
	assert_int_equal(ask(world, &wish), 0);
	(void)request(world, 2000);
	world->holds = TM_CHECK_SERVED;
	answer(world, OPENER_OPENED, 2000);
	expect_verdict(world, 0);
	world->holds = TM_CHECK_SAME;
	hand_over(world, 2000);
	assert_int_equal(delivered(world, &message), TM_WIRE_OPENED);
	assert_int_equal(message.number, 12);
	assert_int_equal(message.value, KTIME);
	assert_int_equal(message.form, 0);
	assert_int_equal(world->files.counts.refused, 0); /* which counts sampled files */
	assert_int_equal(world->files.counts.opened, 1);
}

static void answer_is_not_sent_to_the_next_symbolizer(void **state)
{
	const struct tm_wire wish = wanted(TM_DEBUG_LINK, "ls.debug", 8);
	struct world *world = *state;
	struct tm_wire message;

	hand_over_file(world);
	assert_int_equal(ask(world, &wish), 0);
	assert_int_equal(ask(world, &wish), 0);
	file_requests_reset_all(&world->files);
	answer_next(world, TM_NO_FILE_GONE, 2000);
	assert_int_equal(delivered(world, &message), 0);
	assert_true(file_requests_idle(&world->files));
	assert_null(file_records_find(&world->files.records, 12, KTIME));
}

/* Paths are opened one at a time. */
static void files_and_paths_take_turns(void **state)
{
	static const uint32_t kinds[] = {OPENER_PATHS, OPENER_ASK};
	const struct tm_wire wish = wanted(TM_DEBUG_LINK, "ls.debug", 8);
	int workers[FILE_QUEUE_LANES];
	struct world *world = *state;

	hand_over_file(world);
	for (uint32_t i = 0; i < FILE_QUEUE_LANES; i++) {
		world->file_owner = (uint16_t)(1 + i % 2);
		announce(world, i, 0, 2000);
		assert_int_equal(request(world, 2000).kind, OPENER_ASK);
		workers[i] = TM_TAKE_FD(world->worker);
	}
	announce(world, 5, 0, 2000);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(ask(world, &wish), 0);
	expect_no_request(world);
	for (uint32_t i = 0; i < 2; i++) { /* a lane is free, twice */
		world->worker = workers[i];
		answer(world, TM_NO_FILE_GONE, 2000);
		assert_int_equal(request(world, 2000).kind, kinds[i]);
		workers[i] = TM_TAKE_FD(world->worker);
	}
	expect_no_request(world);
	world->worker = workers[0];
	answer(world, TM_NO_FILE_GONE, 2000);
	assert_int_equal(request(world, 2000).kind, OPENER_PATHS);
	for (uint32_t i = 1; i < FILE_QUEUE_LANES; i++)
		(void)close(workers[i]);
}

static void record_ends_with_its_number(void **state)
{
	struct file_records *records = &((struct world *)*state)->files.records;

	hand_over_file(*state);
	assert_non_null(file_records_find(records, 12, KTIME));
	file_requests_drop(&((struct world *)*state)->files, 12);
	assert_null(file_records_find(records, 12, KTIME));
	assert_int_equal(records->bytes, 0);
}

static struct tm_process process_of(uint32_t flags)
{
	return (struct tm_process){
		.event = {.type = TM_EVENT_PROCESS, .tgid = 700, .ktime = KTIME, .flags = flags},
		.ns_tgid = 7,
		.own_tgid = 77,
		.mnt_ns = 5,
	};
}

static void perf_map_is_looked_for_by_the_innermost_pid(void **state)
{
	const struct tm_process plain = process_of(0), anonymous = process_of(TM_FLAG_ANONYMOUS);
	struct world *world = *state;
	struct opener_request asked;
	struct tm_wire message;

	debug_paths_ask_perf_map(&world->files, &plain);
	assert_true(file_requests_idle(&world->files));
	debug_paths_ask_perf_map(&world->files, &anonymous);
	file_requests_advance(&world->files, 2000);
	asked = request(world, 2000);
	assert_int_equal(asked.kind, OPENER_PERF_MAP);
	assert_string_equal(asked.path, "tmp/perf-7.map");
	assert_int_equal(asked.path_bytes, sizeof("tmp/perf-7.map"));
	assert_int_equal(asked.own_tid, 77);
	assert_int_equal(asked.mnt_ns, 5);
	world->any_file = true;
	hand_over(world, 2000);
	assert_int_equal(delivered(world, &message), TM_WIRE_PERF_MAP);
	assert_true(world->has_descriptor);
	assert_int_equal(message.number, 700);
	assert_int_equal(message.value, KTIME);
}

/* Nor do they take the places of what the symbolizer asks for. */
static void perf_maps_beyond_their_limit_are_left_out(void **state)
{
	static const char build_id[] = "\xab\x01\x02\xfe";
	const struct tm_wire wanted_file = wanted(TM_DEBUG_BUILD_ID, build_id, 4);
	const struct tm_process anonymous = process_of(TM_FLAG_ANONYMOUS);
	struct world *world = *state;

	for (unsigned i = 0; i < FILE_REQUESTS_PERF_MAPS + 1; i++)
		debug_paths_ask_perf_map(&world->files, &anonymous);
	assert_int_equal(world->files.path_tail, FILE_REQUESTS_PERF_MAPS);
	for (unsigned i = 0; i < TM_PATHS_IN_FLIGHT; i++)
		assert_int_equal(debug_paths_ask(&world->files, &options, &wanted_file), 0);
	assert_int_equal(debug_paths_ask(&world->files, &options, &wanted_file), -EBADMSG);
	for (unsigned i = 0; i < FILE_REQUESTS_PERF_MAPS + TM_PATHS_IN_FLIGHT; i++) {
		struct tm_wire message;

		file_requests_advance(&world->files, 2000);
		answer_next(world, TM_NO_FILE_GONE, 2000);
		(void)delivered(world, &message);
		assert_int_equal(message.form, TM_NO_FILE_GONE);
	}
	assert_int_equal(world->files.perf_maps, 0);
	assert_true(file_requests_idle(&world->files));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(build_id_is_looked_for_below_each_root),
		CASE(link_is_looked_for_beside_its_file_and_below_each_root),
		CASE(shared_debug_file_is_looked_for_below_each_root),
		CASE(file_that_was_not_handed_over_has_no_paths),
		CASE(anything_but_one_component_or_a_build_id_is_invalid),
		CASE(only_so_many_may_be_without_an_answer),
		CASE(descriptor_is_handed_on_only_from_a_file_system_that_no_process_serves),
		CASE(answer_is_not_sent_to_the_next_symbolizer),
		CASE(files_and_paths_take_turns),
		CASE(record_ends_with_its_number),
		CASE(perf_map_is_looked_for_by_the_innermost_pid),
		CASE(perf_maps_beyond_their_limit_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
