/* SPDX-License-Identifier: Apache-2.0 */
/* test_output - an output appears whole under its name, or not at all */

#include "tests/unit/cli/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "cli/output.h"

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void expect(const char *path, const char *text)
{
	char read[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_int_equal(fread(read, 1, sizeof(read) - 1, file), strlen(text));
	(void)fclose(file);
	assert_string_equal(read, text);
}

static void output_does_not_exist_before_its_end(void **state)
{
	struct output output;

	assert_int_equal(output_open(&output, test_folder_path("x.html"), -1, 0), 0);
	assert_int_equal(write(output.fd, "new", 3), 3);
	assert_int_equal(access(test_folder_path("x.html"), F_OK), -1);
	assert_int_equal(output_commit(&output), 0);
	output_discard(&output);
	expect(test_folder_path("x.html"), "new");
	assert_int_equal(test_folder_count(), 1);
	assert_int_equal(unlink(test_folder_path("x.html")), 0);
}

static void discarded_output_leaves_the_old_file_and_nothing_else(void **state)
{
	struct output output;

	put(test_folder_path("x.html"), "old");
	assert_int_equal(output_open(&output, test_folder_path("x.html"), -1, 0), 0);
	assert_int_equal(write(output.fd, "new", 3), 3);
	output_discard(&output);
	output_discard(&output); /* a second call does nothing */
	expect(test_folder_path("x.html"), "old");
	assert_int_equal(test_folder_count(), 1);
	assert_int_equal(unlink(test_folder_path("x.html")), 0);
}

static void existing_file_is_replaced_whole(void **state)
{
	struct output output;

	put(test_folder_path("x.html"), "an older and longer text");
	assert_int_equal(output_open(&output, test_folder_path("x.html"), -1, 0), 0);
	assert_int_equal(write(output.fd, "new", 3), 3);
	assert_int_equal(output_commit(&output), 0);
	output_discard(&output);
	expect(test_folder_path("x.html"), "new");
	assert_int_equal(test_folder_count(), 1);
	assert_int_equal(unlink(test_folder_path("x.html")), 0);
}

static void link_is_replaced_and_not_followed(void **state)
{
	struct output output;

	put(test_folder_path("precious"), "old");
	assert_int_equal(symlink(test_folder_path("precious"), test_folder_path("x.html")), 0);
	assert_int_equal(output_open(&output, test_folder_path("x.html"), -1, 0), 0);
	assert_int_equal(write(output.fd, "new", 3), 3);
	assert_int_equal(output_commit(&output), 0);
	output_discard(&output);
	expect(test_folder_path("precious"), "old");
	expect(test_folder_path("x.html"), "new");
	assert_int_equal(unlink(test_folder_path("x.html")), 0);
	assert_int_equal(unlink(test_folder_path("precious")), 0);
}

static void device_is_written_directly(void **state)
{
	struct output output;

	assert_int_equal(symlink("/dev/full", test_folder_path("x.folded")), 0);
	assert_int_equal(output_open(&output, test_folder_path("x.folded"), -1, 0), 0);
	assert_int_equal(output.kind, OUTPUT_STRAIGHT);
	assert_int_equal(write(output.fd, "new", 3), -1);
	assert_int_equal(errno, ENOSPC);
	output_discard(&output);
	assert_int_equal(unlink(test_folder_path("x.folded")), 0);
}

static void output_that_cannot_be_written_is_refused_at_once(void **state)
{
	struct output output;

	assert_int_equal(output_open(&output, test_folder_path("no/x.html"), -1, 0), -ENOENT);
	assert_int_equal(output_open(&output, test_folder_path(""), -1, 0), -EISDIR);
	assert_int_equal(output_open(&output, test_folder_path("."), -1, 0), -EISDIR);
	assert_int_equal(mkdir(test_folder_path("x.html"), 0700), 0);
	assert_int_equal(output_open(&output, test_folder_path("x.html"), -1, 0), -EISDIR);
	assert_int_equal(rmdir(test_folder_path("x.html")), 0);
	assert_int_equal(mkfifo(test_folder_path("x.folded"), 0600), 0);
	assert_int_equal(output_open(&output, test_folder_path("x.folded"), -1, 0), -ENXIO);
	assert_int_equal(unlink(test_folder_path("x.folded")), 0);
	assert_int_equal(output.fd, -1);
	assert_int_equal(output.folder, -1);
}

/* Whoever put it there would get the report. */
static void pipe_of_somebody_else_is_refused_where_all_may_put_one(void **state)
{
	const char *pipe = test_folder_path("x.folded");
	struct output output;
	int reader;

	assert_int_equal(mkfifo(pipe, 0600), 0);
	reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(reader >= 0);
	assert_int_equal(chmod(test_folder_path("."), 01777), 0);
	assert_int_equal(output_open(&output, pipe, -1, 0), 0);
	output_discard(&output);
	if (chown(pipe, 65534, 65534) == 0) { /* as root alone */
		assert_int_equal(output_open(&output, pipe, -1, 0), -EACCES);
		assert_int_equal(chmod(test_folder_path("."), 0777), 0);
		assert_int_equal(output_open(&output, pipe, -1, 0), 0);
		output_discard(&output);
	}
	(void)close(reader);
	assert_int_equal(unlink(pipe), 0);
}

static void one_file_by_two_names_is_the_same(void **state)
{
	struct output one, two, three;

	assert_int_equal(output_open(&one, test_folder_path("x.html"), -1, 0), 0);
	assert_int_equal(output_open(&two, test_folder_path("./x.html"), -1, 0), 0);
	assert_int_equal(output_open(&three, test_folder_path("y.html"), -1, 0), 0);
	assert_true(output_is_same(&one, &two));
	assert_false(output_is_same(&one, &three));
	output_discard(&one);
	output_discard(&two);
	output_discard(&three);
	assert_int_equal(test_folder_count(), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, test_folder_make, test_folder_drop)

static unsigned mode_of(const char *name)
{
	struct stat status;

	assert_int_equal(stat(test_folder_path(name), &status), 0);
	return status.st_mode & 07777;
}

static void store(const char *name, unsigned mode)
{
	struct output output;

	assert_int_equal(output_open(&output, test_folder_path(name), -1, mode), 0);
	assert_int_equal(output_commit(&output), 0);
	output_discard(&output);
}

static void mode_is_that_of_the_caller_or_of_its_umask(void **state)
{
	mode_t before = umask(027);

	store("x.html", 0);
	assert_int_equal(mode_of("x.html"), 0640);
	store("x.html", 0600);
	assert_int_equal(mode_of("x.html"), 0600);
	store("x.html", 0644);
	assert_int_equal(mode_of("x.html"), 0644);
	(void)umask(before);
	assert_int_equal(unlink(test_folder_path("x.html")), 0);
}

static void folder_that_was_replaced_gets_nothing(void **state)
{
	struct output first, second;

	assert_int_equal(mkdir(test_folder_path("a"), 0700), 0);
	assert_int_equal(output_open(&first, test_folder_path("a/1.html"), -1, 0), 0);
	assert_int_equal(rename(test_folder_path("a"), test_folder_path("b")), 0);
	assert_int_equal(mkdir(test_folder_path("a"), 0700), 0);
	assert_int_equal(output_open(&second, test_folder_path("a/2.html"), first.folder, 0), 0);
	assert_int_equal(output_commit(&second), 0);
	assert_int_equal(unlink(test_folder_path("b/2.html")), 0);
	output_discard(&first);
	output_discard(&second);
	assert_int_equal(rmdir(test_folder_path("a")), 0);
	assert_int_equal(rmdir(test_folder_path("b")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(output_does_not_exist_before_its_end),
		IN_FOLDER(discarded_output_leaves_the_old_file_and_nothing_else),
		IN_FOLDER(existing_file_is_replaced_whole),
		IN_FOLDER(link_is_replaced_and_not_followed),
		IN_FOLDER(device_is_written_directly),
		IN_FOLDER(output_that_cannot_be_written_is_refused_at_once),
		IN_FOLDER(mode_is_that_of_the_caller_or_of_its_umask),
		IN_FOLDER(folder_that_was_replaced_gets_nothing),
		IN_FOLDER(pipe_of_somebody_else_is_refused_where_all_may_put_one),
		IN_FOLDER(one_file_by_two_names_is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
