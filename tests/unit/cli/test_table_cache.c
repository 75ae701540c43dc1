/* SPDX-License-Identifier: Apache-2.0 */
/* test_table_cache - which file is accepted as the cache, and which is refused unchanged */

#include "tests/unit/cli/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "cli/exit_code.h"
#include "cli/table_cache.h"
#include "shared/cache_magic.h"
#include "shared/cleanup.h"

static int fd = -1;

static void put(const char *path, const char *text, mode_t mode)
{
	int made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	assert_true(made >= 0);
	assert_int_equal(write(made, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(made, mode), 0);
	(void)close(made);
}

static void expect(const char *path, const char *text)
{
	char read_back[64] = "";
	int there = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(there >= 0);
	assert_int_equal(read(there, read_back, sizeof(read_back) - 1), (ssize_t)strlen(text));
	assert_string_equal(read_back, text);
	(void)close(there);
}

static void refused(const char *path)
{
	assert_int_equal(table_cache_open(path, &fd), TABLE_CACHE_E_FOREIGN);
	assert_int_equal(fd, -1);
}

static void new_one_is_made_for_its_user_alone(void **state)
{
	const char *path = test_folder_path("unwind.cache");
	struct stat status;

	assert_int_equal(table_cache_open(path, &fd), 0);
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(status.st_uid, geteuid());
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDWR);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	fd = tm_close(fd);
	assert_int_equal(unlink(path), 0);
}

static void existing_cache_is_used_with_its_content(void **state)
{
	const char *path = test_folder_path("unwind.cache");

	put(path, TM_CACHE_MAGIC "rest", 0600);
	assert_int_equal(table_cache_open(path, &fd), 0);
	fd = tm_close(fd);
	expect(path, TM_CACHE_MAGIC "rest");
	assert_int_equal(unlink(path), 0);
}

/* The symbolizer begins it anew. */
static void cache_of_another_version_is_used(void **state)
{
	const char *path = test_folder_path("unwind.cache");

	put(path, "TMTABL3\nrest", 0600);
	assert_int_equal(table_cache_open(path, &fd), 0);
	fd = tm_close(fd);
	expect(path, "TMTABL3\nrest");
	assert_int_equal(unlink(path), 0);
}

static void second_recording_runs_without_a_cache(void **state)
{
	const char *path = test_folder_path("unwind.cache");
	int second = -1;

	assert_int_equal(table_cache_open(path, &fd), 0);
	assert_int_equal(table_cache_open(path, &second), TABLE_CACHE_E_HELD);
	assert_int_equal(table_cache_choose(path, &second), 0);
	assert_int_equal(second, -1);
	fd = tm_close(fd);
	assert_int_equal(table_cache_choose(path, &fd), 0);
	assert_true(fd >= 0);
	fd = tm_close(fd);
	assert_int_equal(unlink(path), 0);
}

static void symbolic_link_is_refused_and_its_target_left_unchanged(void **state)
{
	const char *target = test_folder_path("target"), *path = test_folder_path("unwind.cache");

	put(target, TM_CACHE_MAGIC, 0600);
	assert_int_equal(symlink(target, path), 0);
	refused(path);
	assert_int_equal(unlink(target), 0);
	refused(path); /* its target is not created either */
	assert_int_equal(access(target, F_OK), -1);
	assert_int_equal(unlink(path), 0);
}

static void file_linked_twice_is_refused(void **state)
{
	const char *target = test_folder_path("target"), *path = test_folder_path("unwind.cache");

	put(target, TM_CACHE_MAGIC, 0600);
	assert_int_equal(link(target, path), 0);
	refused(path);
	assert_int_equal(unlink(target), 0);
	assert_int_equal(unlink(path), 0);
}

static void file_that_is_no_cache_is_refused_and_left_unchanged(void **state)
{
	static const char *const texts[] = {"a", "my notes, for years", "TMROWS0\n"};
	const char *path = test_folder_path("notes");

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put(path, texts[i], 0600);
		refused(path);
		assert_int_equal(table_cache_choose(path, &fd), EXIT_CODE_FAILED);
		expect(path, texts[i]);
		assert_int_equal(unlink(path), 0);
	}
}

static void file_that_others_may_open_is_refused(void **state)
{
	static const mode_t modes[] = {0644, 0660, 0602};
	const char *path = test_folder_path("unwind.cache");

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		put(path, TM_CACHE_MAGIC, modes[i]);
		refused(path);
		assert_int_equal(unlink(path), 0);
	}
}

static void file_of_another_user_is_refused(void **state)
{
	const char *path = test_folder_path("unwind.cache");

	if (geteuid() != 0)
		skip();
	put(path, TM_CACHE_MAGIC, 0600);
	assert_int_equal(chown(path, 1, 1), 0);
	refused(path);
	assert_int_equal(unlink(path), 0);
}

static void what_is_no_regular_file_is_refused_without_waiting(void **state)
{
	const char *pipe = test_folder_path("pipe"), *inner = test_folder_path("folder");

	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_int_equal(mkdir(inner, 0700), 0);
	refused(pipe);
	assert_int_equal(table_cache_open(inner, &fd), -EISDIR);
	assert_int_equal(table_cache_open(test_folder_path("no/unwind.cache"), &fd), -ENOENT);
	assert_int_equal(fd, -1);
	assert_int_equal(unlink(pipe), 0);
	assert_int_equal(rmdir(inner), 0);
}

static void boot_has_an_id_of_one_line(void **state)
{
	char first[TABLE_CACHE_BOOT_ID_BYTES], second[TABLE_CACHE_BOOT_ID_BYTES];

	assert_int_equal(table_cache_boot_id(first), 0);
	assert_int_equal(table_cache_boot_id(second), 0);
	assert_string_equal(first, second);
	assert_true(strlen(first) >= 32);
	assert_null(strchr(first, '\n'));
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, test_folder_make, test_folder_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_folder(new_one_is_made_for_its_user_alone),
		in_folder(existing_cache_is_used_with_its_content),
		in_folder(cache_of_another_version_is_used),
		in_folder(second_recording_runs_without_a_cache),
		in_folder(symbolic_link_is_refused_and_its_target_left_unchanged),
		in_folder(file_linked_twice_is_refused),
		in_folder(file_that_is_no_cache_is_refused_and_left_unchanged),
		in_folder(file_that_others_may_open_is_refused),
		in_folder(file_of_another_user_is_refused),
		in_folder(what_is_no_regular_file_is_refused_without_waiting),
		cmocka_unit_test(boot_has_an_id_of_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
