/* SPDX-License-Identifier: Apache-2.0 */
/* test_spool_folder - which folders become a spool, and what is handed over in them */

#include "tests/unit/cli/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/spool_folder.h"
#include "shared/cleanup.h"

#define SEGMENT "00000000000000000001.segment"

static char folder[64], spool[96];

static int set_up(void **state)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/spool-folder-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	(void)snprintf(spool, sizeof(spool), "%s/spool", folder);
	return 0;
}

static const char *in(const char *name)
{
	static char path[160];

	(void)snprintf(path, sizeof(path), "%s/%s", spool, name);
	return path;
}

static int tear_down(void **state)
{
	(void)unlink(in(SEGMENT));
	(void)unlink(in("other"));
	(void)rmdir(spool);
	(void)unlink(spool);
	return rmdir(folder);
}

static void make_file(const char *name)
{
	int fd = open(in(name), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	(void)close(fd);
}

static int open_code(void)
{
	int fd = -1, r = spool_folder_open(spool, &fd);

	(void)tm_close(fd);
	return r;
}

static void folder_that_does_not_exist_is_made_for_its_owner_and_group(void **state)
{
	struct stat status;

	(void)umask(0);
	assert_int_equal(open_code(), 0);
	assert_int_equal(stat(spool, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0750);
	make_file(SEGMENT);
	assert_int_equal(open_code(), 0);
}

static void folder_that_holds_anything_else_is_left_alone(void **state)
{
	assert_int_equal(open_code(), 0);
	make_file(SEGMENT);
	make_file("other");
	assert_int_equal(open_code(), SPOOL_FOLDER_E_FOREIGN);
}

static void folder_that_others_may_write_to_is_left_alone(void **state)
{
	assert_int_equal(open_code(), 0);
	assert_int_equal(chmod(spool, 0770), 0);
	assert_int_equal(open_code(), SPOOL_FOLDER_E_FOREIGN);
	assert_int_equal(chmod(spool, 0752), 0);
	assert_int_equal(open_code(), SPOOL_FOLDER_E_FOREIGN);
}

static void what_is_no_folder_is_left_alone(void **state)
{
	int fd;

	assert_int_equal(symlink("/tmp", spool), 0);
	assert_int_equal(open_code(), SPOOL_FOLDER_E_FOREIGN);
	assert_int_equal(unlink(spool), 0);
	fd = open(spool, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(open_code(), SPOOL_FOLDER_E_FOREIGN);
}

static void folder_in_use_is_held(void **state)
{
	int fd = -1;

	assert_int_equal(spool_folder_open(spool, &fd), 0);
	assert_int_equal(open_code(), SPOOL_FOLDER_E_HELD);
	(void)tm_close(fd);
	assert_int_equal(open_code(), 0);
}

static void folder_without_a_parent_is_an_error(void **state)
{
	(void)snprintf(spool, sizeof(spool), "%s/none/spool", folder);
	assert_int_equal(open_code(), -ENOENT);
}

/* What root alone can try: another account has the folder afterwards, and only its own files. */
static void segments_of_the_former_owner_are_handed_over_and_nothing_else(void **state)
{
	struct stat status;
	char other[96];
	int fd = -1;

	if (geteuid() != 0)
		skip();
	assert_int_equal(spool_folder_open(spool, &fd), 0);
	make_file(SEGMENT);
	assert_int_equal(spool_folder_give(spool, fd, 61184, 61185), 0);
	assert_int_equal(stat(spool, &status), 0);
	assert_int_equal(status.st_uid, 61184);
	assert_int_equal(status.st_gid, 61185);
	assert_int_equal(stat(in(SEGMENT), &status), 0);
	assert_int_equal(status.st_uid, 61184);

	/* Of root, and so not the former owner's: a link to a file elsewhere would be so, too. */
	assert_int_equal(chown(in(SEGMENT), 0, 0), 0);
	assert_int_equal(spool_folder_give(spool, fd, 61190, 61190), 0);
	assert_int_equal(stat(in(SEGMENT), &status), 0);
	assert_int_equal(status.st_uid, 0);

	/* The former owner's, but with a second name outside. */
	assert_int_equal(chown(in(SEGMENT), 61190, 61190), 0);
	(void)snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(link(in(SEGMENT), other), 0);
	assert_int_equal(spool_folder_give(spool, fd, 61191, 61191), 0);
	assert_int_equal(stat(in(SEGMENT), &status), 0);
	assert_int_equal(status.st_uid, 61190);
	assert_int_equal(unlink(other), 0);
	(void)tm_close(fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(folder_that_does_not_exist_is_made_for_its_owner_and_group),
		TEST(folder_that_holds_anything_else_is_left_alone),
		TEST(folder_that_others_may_write_to_is_left_alone),
		TEST(what_is_no_folder_is_left_alone),
		TEST(folder_in_use_is_held),
		TEST(folder_without_a_parent_is_an_error),
		TEST(segments_of_the_former_owner_are_handed_over_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
