/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_file_identity - each part of a file's state counts, and what descriptors are readable files
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolizer/base/file_identity.h"
#include "tests/unit/symbolizer/make.h"

static struct tm_identity identity_of(int fd)
{
	static union make_record record;

	make_file(&record, 1, 2, "x\0", 2);
	make_identity_of(&record, fd);
	return record.file.identity;
}

static void each_part_of_the_state_counts(void **state)
{
	int fd = memfd_create("library", MFD_CLOEXEC);
	struct tm_identity same = identity_of(fd), other;

	assert_true(file_identity_holds(&same, fd));
	other = same;
	other.size++;
	assert_false(file_identity_holds(&other, fd));
	other = same;
	other.mtime_sec++;
	assert_false(file_identity_holds(&other, fd));
	other = same;
	other.mtime_nsec ^= 1;
	assert_false(file_identity_holds(&other, fd));
	other = same;
	other.ctime_ns ^= 1;
	assert_false(file_identity_holds(&other, fd));
	assert_false(file_identity_holds(&same, -1));
	(void)close(fd);
}

/* What hides an overwriting from mtime and size. */
static void restored_mtime_does_not_hide_a_write(void **state)
{
	int fd = memfd_create("library", MFD_CLOEXEC);
	struct tm_identity before = identity_of(fd);
	const struct timespec times[2] = {{before.mtime_sec, before.mtime_nsec},
					  {before.mtime_sec, before.mtime_nsec}};

	while (identity_of(fd).ctime_ns == before.ctime_ns) /* until the next tick */
		assert_int_equal(futimens(fd, times), 0);
	assert_int_equal(identity_of(fd).mtime_sec, before.mtime_sec);
	assert_int_equal(identity_of(fd).mtime_nsec, before.mtime_nsec);
	assert_false(file_identity_holds(&before, fd));
	(void)close(fd);
}

static void only_a_regular_file_open_for_reading_is_readable(void **state)
{
	char path[] = "/tmp/tidemark-identity.XXXXXX";
	int writable = mkostemp(path, O_CLOEXEC);
	int readable = open(path, O_RDONLY | O_CLOEXEC), place = open(path, O_PATH | O_CLOEXEC);
	int folder = open("/tmp", O_RDONLY | O_CLOEXEC);

	assert_true(file_identity_is_readable(readable));
	assert_false(file_identity_is_readable(writable));
	assert_false(file_identity_is_readable(place));
	assert_false(file_identity_is_readable(folder));
	assert_true(file_identity_is_linked(readable));
	(void)unlink(path);
	assert_false(file_identity_is_linked(readable));
	(void)close(writable);
	(void)close(readable);
	(void)close(place);
	(void)close(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_part_of_the_state_counts),
		cmocka_unit_test(restored_mtime_does_not_hide_a_write),
		cmocka_unit_test(only_a_regular_file_open_for_reading_is_readable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
