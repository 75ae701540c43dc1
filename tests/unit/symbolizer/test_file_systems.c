/* SPDX-License-Identifier: Apache-2.0 */
/* test_file_systems - whose file system is known by its id, and what that is worth after a boot */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "symbolizer/unwind/file_systems.h"

#define DISK  (8u << 20)
#define OTHER (9u << 20)
#define ID    77u

static struct file_systems systems;

static int begin(void **state)
{
	file_systems_init(&systems, "a boot");
	return 0;
}

static void number_of_a_device_is_of_one_boot(void **state)
{
	struct tm_identity identity = {.dev = DISK, .ino = 5};
	uint64_t pinned = file_systems_pin(&systems, &identity);

	assert_int_equal(identity.dev, DISK);
	assert_true(file_systems_unpin(&systems, pinned, &identity));
	file_systems_init(&systems, "another boot");
	assert_false(file_systems_unpin(&systems, pinned, &identity));
}

static void known_file_system_is_found_on_another_device(void **state)
{
	struct tm_identity identity = {.dev = DISK, .ino = 5};
	uint64_t pinned;

	file_systems_add(&systems, DISK, ID);
	pinned = file_systems_pin(&systems, &identity);
	assert_int_equal(identity.dev, 0);
	file_systems_init(&systems, "another boot");
	assert_false(file_systems_unpin(&systems, pinned, &identity));
	file_systems_add(&systems, DISK, ID + 1);
	assert_false(file_systems_unpin(&systems, pinned, &identity));
	file_systems_add(&systems, OTHER, ID);
	assert_true(file_systems_unpin(&systems, pinned, &identity));
	assert_int_equal(identity.dev, OTHER);
	assert_int_equal(identity.ino, 5);
}

static void copies_with_the_same_id_are_all_unknown(void **state)
{
	struct tm_identity identity = {0};

	file_systems_add(&systems, DISK, ID);
	file_systems_add(&systems, OTHER, ID);
	file_systems_add(&systems, OTHER + 1, ID);
	file_systems_add(&systems, DISK, ID); /* once more */
	assert_false(file_systems_unpin(&systems, ID, &identity));
	for (uint32_t i = 0; i < 2; i++) {
		identity.dev = OTHER + i;
		assert_int_equal(file_systems_pin(&systems, &identity), systems.boot);
		assert_int_equal(identity.dev, OTHER + i);
	}
}

static void further_file_systems_are_of_one_boot(void **state)
{
	struct tm_identity identity = {.dev = DISK + FILE_SYSTEMS_MAX};

	for (uint32_t i = 0; i <= FILE_SYSTEMS_MAX; i++)
		file_systems_add(&systems, DISK + i, ID + i);
	assert_int_equal(systems.count, FILE_SYSTEMS_MAX);
	assert_int_equal(file_systems_pin(&systems, &identity), systems.boot);
}

static void anonymous_device_is_not_known(void **state)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	file_systems_learn(&systems, fd);
	file_systems_learn(&systems, -1);
	assert_int_equal(systems.count, 0);
	(void)close(fd);
}

/* Of the file system that the test itself is on. */
static void ext4_has_the_id_that_statfs_says(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct statfs status;
	struct stat file;
	uint64_t id;

	assert_int_equal(fstat(fd, &file), 0);
	assert_int_equal(fstatfs(fd, &status), 0);
	file_systems_learn(&systems, fd);
	(void)close(fd);
	if (status.f_type != EXT4_SUPER_MAGIC)
		return;
	memcpy(&id, &status.f_fsid, sizeof(id));
	assert_int_equal(systems.count, 1);
	assert_int_equal(systems.known[0].dev,
			 (uint64_t)major(file.st_dev) << 20 | minor(file.st_dev));
	assert_int_equal(systems.known[0].id, id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(number_of_a_device_is_of_one_boot, begin),
		cmocka_unit_test_setup(known_file_system_is_found_on_another_device, begin),
		cmocka_unit_test_setup(copies_with_the_same_id_are_all_unknown, begin),
		cmocka_unit_test_setup(further_file_systems_are_of_one_boot, begin),
		cmocka_unit_test_setup(anonymous_device_is_not_known, begin),
		cmocka_unit_test_setup(ext4_has_the_id_that_statfs_says, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
