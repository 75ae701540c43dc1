/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_files_lifetime - how long numbers, files and descriptors are kept
 */

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/profile/file_queue.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

#define NUMBER 5u

static union make_record record;
static struct recording recording;

static int make_recording(void **state)
{
	return recording_make(&recording);
}

static int end_recording(void **state)
{
	return recording_end(&recording);
}

static int is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static int open_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void announce(uint32_t number, uint64_t ino, uint64_t ktime)
{
	make_file(&record, number, ino, "libx.so\0lib\0", 12);
	record.event.ktime = ktime;
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
}

static uint32_t sample(uint32_t number, uint64_t ktime)
{
	uint32_t file;

	assert_int_equal(files_find(&recording.files, number, ktime, &file), 0);
	return file;
}

/* As symbol_jobs does it: takes the files whose symbols are wanted out, one after the other. */
static uint32_t end_symbols(void)
{
	uint32_t file, count = 0;

	while ((file = file_queue_next_symbols(&recording.files)) != FILES_NONE) {
		file_queue_end_symbols(&recording.files, file);
		count++;
	}
	return count;
}

static void retired_number_closes_the_descriptor_and_frees_the_entry(void **state)
{
	int fd = open_self();

	announce(NUMBER, 1, 10);
	files_opened(&recording.files, NUMBER, 10, fd);
	assert_true(is_open(fd));
	files_retire(&recording.files, NUMBER, 20);
	assert_false(is_open(fd));
	assert_int_equal(recording.files.open, 0);
	assert_int_equal(recording.files.live, 0);
	assert_int_equal(recording.files.retired, 1);
	(void)tm_retire_run(&recording.queue, 10 + FILES_IDLE_NS + 1);
	assert_int_equal(end_symbols(), 1);
	assert_int_not_equal(recording.files.first_free, 0);
	assert_int_equal(recording.files.lookup.used, 0);
}

static void unreported_sample_pins_path_and_descriptor(void **state)
{
	int fd = open_self();
	uint32_t file;

	announce(NUMBER, 1, 10);
	files_opened(&recording.files, NUMBER, 10, fd);
	file = sample(NUMBER, 11);
	files_retire(&recording.files, NUMBER, 20);
	(void)tm_retire_run(&recording.queue, 100 * TM_EPOCH_NS);
	assert_true(is_open(fd));
	assert_string_equal(recording_text(&recording, recording.files.items[file].path),
			    "/lib/libx.so");
	assert_int_equal(recording_forget(&recording), 0);
	assert_false(is_open(fd));
	assert_int_equal(end_symbols(), 1);
	assert_false(recording.files.items[file].used);
}

static void descriptor_is_closed_once_the_symbols_are_there(void **state)
{
	int first = open_self(), second = open_self();

	announce(NUMBER, 1, 10);
	files_opened(&recording.files, NUMBER, 10, first);
	assert_int_equal(end_symbols(), 1);
	assert_false(is_open(first));
	announce(NUMBER, 1, 30);
	assert_int_equal(end_symbols(), 0);
	files_opened(&recording.files, NUMBER, 30, second);
	assert_int_equal(end_symbols(), 1);
	assert_false(is_open(second));
	assert_int_equal(recording.files.live, 1);
}

static void descriptor_without_an_identity_waits_for_it(void **state)
{
	int fd = open_self();

	files_opened(&recording.files, NUMBER, 0, fd);
	assert_int_equal(end_symbols(), 0);
	announce(NUMBER, 1, 10);
	assert_int_equal(end_symbols(), 1);
	files_opened(&recording.files, NUMBER, 30, open_self());
	assert_int_equal(end_symbols(), 0);
	announce(NUMBER, 1, 30);
	assert_int_equal(end_symbols(), 1);
	assert_int_equal(recording.files.open, 0);
}

static void file_that_waits_for_symbols_keeps_its_place(void **state)
{
	uint32_t file;

	announce(NUMBER, 1, 10);
	files_opened(&recording.files, NUMBER, 10, open_self());
	files_retire(&recording.files, NUMBER, 20);
	(void)tm_retire_run(&recording.queue, 100 * TM_EPOCH_NS);
	announce(NUMBER, 2, 30);
	files_opened(&recording.files, NUMBER, 30, open_self());
	file = file_queue_next_symbols(&recording.files);
	assert_int_equal(recording.files.items[file].identity.ino, 1);
	assert_int_equal(recording.files.items[file].fd, -1);
	file_queue_end_symbols(&recording.files, file);
	assert_false(recording.files.items[file].used);
	file = file_queue_next_symbols(&recording.files);
	assert_int_equal(recording.files.items[file].identity.ino, 2);
	file_queue_add_symbols(&recording.files, file);
	assert_int_equal(file_queue_next_symbols(&recording.files), file);
	assert_int_equal(file_queue_next_symbols(&recording.files), FILES_NONE);
	file_queue_end_symbols(&recording.files, file);
}

static void descriptor_of_the_numbers_previous_file_is_closed(void **state)
{
	int fd = open_self();

	announce(NUMBER, 1, 10);
	files_retire(&recording.files, NUMBER, 20);
	announce(NUMBER, 2, 30);
	files_opened(&recording.files, NUMBER, 10, fd);
	assert_false(is_open(fd));
	assert_int_equal(recording.files.stale, 1);
	assert_int_equal(recording.files.items[sample(NUMBER, 31)].fd, -1);
}

static void descriptor_before_its_announcement_waits_for_it(void **state)
{
	int old = open_self(), new = open_self();
	uint32_t before, after;

	announce(NUMBER, 1, 10);
	files_opened(&recording.files, NUMBER, 10, old);
	files_opened(&recording.files, NUMBER, 30, new);
	before = sample(NUMBER, 11);
	assert_int_equal(recording.files.items[before].fd, old);
	assert_int_equal(recording.files.open, 2);
	files_retire(&recording.files, NUMBER, 20);
	assert_true(is_open(new));
	announce(NUMBER, 2, 30);
	after = sample(NUMBER, 31);
	assert_int_not_equal(before, after);
	assert_int_equal(recording.files.items[after].fd, new);
	assert_int_equal(recording.files.items[before].fd, old);
	assert_int_equal(recording.files.open, 2);
}

static void descriptor_without_an_announcement_is_closed_with_the_number(void **state)
{
	int first = open_self(), second = open_self();

	files_opened(&recording.files, NUMBER, 10, first);
	files_opened(&recording.files, NUMBER, 12, second);
	assert_false(is_open(first));
	files_retire(&recording.files, NUMBER, 20);
	assert_false(is_open(second));
	assert_int_equal(recording.files.open, 0);
}

static void early_descriptor_does_not_leak_at_the_end(void **state)
{
	files_opened(&recording.files, TM_FRAME_FILE_MAX, 10, open_self());
	files_opened(&recording.files, 0, 10, open_self());
	assert_int_equal(recording.files.open, 2);
	files_deinit(&recording.files);
	assert_int_equal(recording.files.open, 0);
	files_init(&recording.files, &recording.strings, &recording.budget, &recording.queue);
}

static void one_identity_under_two_numbers_ends_with_the_last(void **state)
{
	announce(NUMBER, 1, 10);
	announce(NUMBER + 1, 1, 20);
	assert_int_equal(recording.files.live, 1);
	assert_int_equal(sample(NUMBER, 21), sample(NUMBER + 1, 21));
	files_retire(&recording.files, NUMBER, 30);
	assert_int_equal(recording.files.live, 1);
	assert_int_equal(recording.files.retired, 0);
	files_retire(&recording.files, NUMBER + 1, 40);
	assert_int_equal(recording.files.live, 0);
	assert_int_equal(recording.files.retired, 1);
}

static void ended_file_that_comes_back_is_the_same_file(void **state)
{
	uint32_t before, after;
	int fd = open_self();

	announce(NUMBER, 1, 10);
	files_opened(&recording.files, NUMBER, 10, fd);
	before = sample(NUMBER, 11);
	files_retire(&recording.files, NUMBER, 20);
	announce(NUMBER + 7, 1, 30);
	after = sample(NUMBER + 7, 31);
	assert_int_equal(before, after);
	assert_int_equal(recording.files.items[after].fd, fd);
	assert_int_equal(recording.files.live, 1);
}

static void unsampled_file_closes_its_descriptor_but_keeps_its_name(void **state)
{
	int fd = open_self();
	uint32_t file;

	announce(NUMBER, 1, 10);
	files_opened(&recording.files, NUMBER, 10, fd);
	(void)sample(NUMBER, TM_EPOCH_NS);
	assert_int_equal(recording_forget(&recording), 0);
	(void)tm_retire_run(&recording.queue, TM_EPOCH_NS + FILES_IDLE_NS);
	assert_true(is_open(fd));
	(void)tm_retire_run(&recording.queue, TM_EPOCH_NS + FILES_IDLE_NS + 1);
	assert_false(is_open(fd));
	assert_int_equal(recording.files.idle_closed, 1);
	file = sample(NUMBER, 9 * TM_EPOCH_NS);
	assert_string_equal(recording_text(&recording, recording.files.items[file].base),
			    "libx.so");
}

static void closed_descriptors_make_room_for_any_number_of_files(void **state)
{
	recording.files.max_open = 16;
	for (uint64_t i = 1; i <= 1000; i++) {
		uint32_t number = (uint32_t)i % 100;

		assert_true(files_have_space(&recording.files));
		announce(number, i, 10 * i);
		files_opened(&recording.files, number, 10 * i, open_self());
		assert_true(recording.files.items[sample(number, 10 * i + 1)].fd >= 0);
		files_retire(&recording.files, number, 10 * i + 2);
		if (!files_have_space(&recording.files))
			assert_int_equal(end_symbols(), 16);
	}
	assert_int_equal(recording.files.retired, 1000);
	assert_int_equal(recording_forget(&recording), 0);
	(void)end_symbols();
	(void)tm_retire_run(&recording.queue, 10 * FILES_IDLE_NS);
	assert_int_equal(recording.files.lookup.used, 0);
	assert_int_equal(recording.queue.count, 0);
}

static void numbers_used_again_and_again_take_no_more_entries(void **state)
{
	uint64_t used = 0;

	for (uint64_t i = 1; i <= 100000; i++) {
		uint32_t number = (uint32_t)i % 50;
		uint64_t now = i * (TM_EPOCH_NS / 1000);

		files_retire(&recording.files, number, now);
		announce(number, i, now + 1);
		(void)sample(number, now + 2);
		(void)tm_retire_run(&recording.queue, now);
		if (i % 1000 == 0)
			assert_int_equal(recording_forget(&recording), 0);
		if (i == 50000)
			used = recording.budget.used;
		assert_true(recording.files.count < 8000);
	}
	assert_true(recording.budget.used <= used);
}

#define with_world(test) cmocka_unit_test_setup_teardown(test, make_recording, end_recording)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_world(retired_number_closes_the_descriptor_and_frees_the_entry),
		with_world(unreported_sample_pins_path_and_descriptor),
		with_world(descriptor_is_closed_once_the_symbols_are_there),
		with_world(descriptor_without_an_identity_waits_for_it),
		with_world(file_that_waits_for_symbols_keeps_its_place),
		with_world(descriptor_of_the_numbers_previous_file_is_closed),
		with_world(descriptor_before_its_announcement_waits_for_it),
		with_world(descriptor_without_an_announcement_is_closed_with_the_number),
		with_world(early_descriptor_does_not_leak_at_the_end),
		with_world(one_identity_under_two_numbers_ends_with_the_last),
		with_world(ended_file_that_comes_back_is_the_same_file),
		with_world(unsampled_file_closes_its_descriptor_but_keeps_its_name),
		with_world(closed_descriptors_make_room_for_any_number_of_files),
		with_world(numbers_used_again_and_again_take_no_more_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
