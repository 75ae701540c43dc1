/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_files - file numbers, identities and descriptors arrive in any order, and none leaks
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

static union make_record record;

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

static void announce(struct recording *recording, uint64_t ino)
{
	make_file(&record, 5, ino, "libx.so\0lib\0", 12);
	record.event.flags = TM_PATH_DELETED;
	assert_int_equal(files_announce(&recording->files, &record.file), 0);
}

static void descriptor_may_come_before_the_announcement(void **state)
{
	static struct recording recording;
	uint32_t file;
	int fd = open_self();

	assert_int_equal(recording_make(&recording), 0);
	files_opened(&recording.files, 5, 0, fd);
	announce(&recording, 1);
	assert_int_equal(files_find(&recording.files, 5, 1, &file), 0);
	assert_int_equal(recording.files.items[file].fd, fd);
	assert_string_equal(recording_text(&recording, recording.files.items[file].path),
			    "/lib/libx.so");
	assert_string_equal(recording_text(&recording, recording.files.items[file].base),
			    "libx.so");
	assert_true(recording.files.items[file].deleted);
	assert_int_equal(recording_end(&recording), 0);
	assert_false(is_open(fd));
}

static void file_announced_again_is_the_same_file(void **state)
{
	static struct recording recording;

	assert_int_equal(recording_make(&recording), 0);
	announce(&recording, 1);
	announce(&recording, 1);
	assert_int_equal(recording.files.count, 1);
	assert_int_equal(recording_end(&recording), 0);
}

static void number_with_another_identity_is_another_file(void **state)
{
	static struct recording recording;
	uint32_t before, after;

	assert_int_equal(recording_make(&recording), 0);
	announce(&recording, 1);
	assert_int_equal(files_find(&recording.files, 5, 1, &before), 0);
	make_file(&record, 5, 2, "liby.so\0lib\0", 12);
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
	assert_int_equal(files_find(&recording.files, 5, 1, &after), 0);
	assert_int_not_equal(before, after);
	assert_string_equal(recording_text(&recording, recording.files.items[before].base),
			    "libx.so");
	assert_string_equal(recording_text(&recording, recording.files.items[after].base),
			    "liby.so");
	assert_int_equal(recording_end(&recording), 0);
}

static void file_without_a_path_is_shown_as_unknown(void **state)
{
	static struct recording recording;

	assert_int_equal(recording_make(&recording), 0);
	make_file(&record, 5, 1, "", 0);
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
	assert_string_equal(recording_text(&recording, recording.files.items[0].path), "");
	assert_string_equal(recording_text(&recording, recording.files.items[0].base),
			    FILES_NO_NAME);
	assert_int_equal(recording_end(&recording), 0);
}

static void second_descriptor_closes_the_first(void **state)
{
	static struct recording recording;
	int first = open_self(), second = open_self();

	assert_int_equal(recording_make(&recording), 0);
	files_opened(&recording.files, 5, 0, first);
	files_opened(&recording.files, 5, 0, second);
	assert_false(is_open(first));
	assert_true(is_open(second));
	assert_int_equal(recording.files.open, 1);
	assert_int_equal(recording_end(&recording), 0);
	assert_false(is_open(second));
}

static void descriptor_that_is_no_readable_regular_file_is_closed(void **state)
{
	static struct recording recording;
	int ends[2];
	int path = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	int folder = open("/", O_RDONLY | O_CLOEXEC);
	int writable = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(recording_make(&recording), 0);
	files_opened(&recording.files, 5, 0, ends[0]);
	files_opened(&recording.files, 5, 0, path);
	files_opened(&recording.files, 5, 0, folder);
	files_opened(&recording.files, 5, 0, writable);
	assert_false(is_open(ends[0]) || is_open(path) || is_open(folder) || is_open(writable));
	assert_int_equal(recording.files.open, 0);
	assert_int_equal(recording_end(&recording), 0);
	(void)close(ends[1]);
}

static void numbers_and_reasons_out_of_range_change_nothing(void **state)
{
	static struct recording recording;
	int fd = open_self();

	assert_int_equal(recording_make(&recording), 0);
	files_opened(&recording.files, TM_FRAME_FILE_MAX + 1, 0, fd);
	files_refused(&recording.files, TM_FRAME_FILE_MAX + 1, TM_NO_FILE_GONE);
	files_refused(&recording.files, 5, TM_NO_FILE_N);
	assert_false(is_open(fd));
	assert_int_equal(recording.files.count, 0);
	files_refused(&recording.files, 5, TM_NO_FILE_DENIED);
	assert_int_equal(recording.files.items[0].reason, TM_NO_FILE_DENIED);
	assert_int_equal(recording_end(&recording), 0);
}

static void without_free_descriptors_no_more_files_are_accepted(void **state)
{
	static struct recording recording;
	int fds[3] = {open_self(), open_self(), open_self()};

	assert_int_equal(recording_make(&recording), 0);
	recording.files.max_open = 2;
	for (uint32_t i = 0; i < 3; i++)
		files_opened(&recording.files, i, 0, fds[i]);
	assert_false(files_have_space(&recording.files));
	assert_false(is_open(fds[2]));
	files_close(&recording.files, 0);
	assert_true(files_have_space(&recording.files));
	assert_int_equal(recording_end(&recording), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptor_may_come_before_the_announcement),
		cmocka_unit_test(file_announced_again_is_the_same_file),
		cmocka_unit_test(number_with_another_identity_is_another_file),
		cmocka_unit_test(file_without_a_path_is_shown_as_unknown),
		cmocka_unit_test(second_descriptor_closes_the_first),
		cmocka_unit_test(descriptor_that_is_no_readable_regular_file_is_closed),
		cmocka_unit_test(numbers_and_reasons_out_of_range_change_nothing),
		cmocka_unit_test(without_free_descriptors_no_more_files_are_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
