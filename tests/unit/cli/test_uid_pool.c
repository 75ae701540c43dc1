/* SPDX-License-Identifier: Apache-2.0 */
/* test_uid_pool - a uid has one holder at a time, and its lock leaves no file */

#include "tests/unit/cli/test_folder.h"

#include <errno.h>
#include <sys/wait.h>

#include "cli/uid_pool.h"

static void second_session_finds_the_uid_held(void **state)
{
	const char *locks = test_folder_path("locks");
	int first = -1, second = -1;

	assert_int_equal(uid_pool_lock(locks, 61184, &first), 0);
	assert_int_equal(uid_pool_lock(locks, 61184, &second), UID_POOL_E_HELD);
	assert_int_equal(second, -1);
	assert_int_equal(uid_pool_lock(locks, 61185, &second), 0);
	second = uid_pool_unlock(locks, 61185, second);
	first = uid_pool_unlock(locks, 61184, first);
	assert_int_equal(first, -1);
	assert_int_equal(test_folder_count(), 0); /* the files and their folder are gone */
}

static void released_uid_can_be_held_again(void **state)
{
	const char *locks = test_folder_path("locks");
	int lock = -1;

	assert_int_equal(uid_pool_lock(locks, 61184, &lock), 0);
	lock = uid_pool_unlock(locks, 61184, lock);
	assert_int_equal(uid_pool_lock(locks, 61184, &lock), 0);
	(void)uid_pool_unlock(locks, 61184, lock);
	assert_int_equal(uid_pool_unlock(locks, 61184, -1), -1); /* a second call does nothing */
}

static void lock_of_a_dead_session_is_free(void **state)
{
	const char *locks = test_folder_path("locks");
	int lock = -1, status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(uid_pool_lock(locks, 61184, &lock) == 0
			      ? 0
			      : 1); /* the process ends and leaves the file */
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(access(test_folder_path("locks/uid-61184"), F_OK), 0);
	assert_int_equal(uid_pool_lock(locks, 61184, &lock), 0);
	(void)uid_pool_unlock(locks, 61184, lock);
}

static void planted_link_is_not_followed(void **state)
{
	const char *locks = test_folder_path("");
	int lock = -1;

	assert_int_equal(symlink(test_folder_path("elsewhere"), test_folder_path("uid-61184")), 0);
	assert_int_equal(uid_pool_lock(locks, 61184, &lock), -ELOOP);
	assert_int_equal(access(test_folder_path("elsewhere"), F_OK), -1);
	assert_int_equal(unlink(test_folder_path("uid-61184")), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, test_folder_make, test_folder_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(second_session_finds_the_uid_held),
		IN_FOLDER(released_uid_can_be_held_again),
		IN_FOLDER(lock_of_a_dead_session_is_free),
		IN_FOLDER(planted_link_is_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
