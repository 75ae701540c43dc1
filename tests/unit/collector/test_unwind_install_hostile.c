/* SPDX-License-Identifier: Apache-2.0 */
/* test_unwind_install_hostile - whatever a hostile symbolizer sends as an unwind table is refused
 * without a delay */

#include "tests/unit/collector/unwind_install_fixture.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define SEALS (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* Takes @fd; -1: this kernel does not offer that kind. */
static void refused(struct world *world, int fd, const char *what)
{
	uint64_t before = world->tables.counts.refused;

	if (fd < 0) {
		print_message("no %s here\n", what);
		return;
	}
	hand_over(world, 5, 0);
	answer_by(world, 5, KTIME, fd);
	if (world->tables.counts.refused != before + 1 || world->references[5])
		print_error("%s\n", what);
	assert_int_equal(world->tables.counts.refused, before + 1);
	assert_int_equal(world->tables.alloc.taken, 0);
	assert_int_equal(world->references[5], 0);
	assert_null(world->tables.pending);
}

static int memfd(unsigned flags, off_t bytes, int seals)
{
	int fd = memfd_create("rows", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);

	if (fd < 0)
		return -1;
	assert_int_equal(ftruncate(fd, bytes), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void descriptors_of_other_kinds_are_refused(void **state)
{
	struct world *world = *state;
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	refused(world, ends[0], "pipe to read");
	refused(world, ends[1], "pipe to write");
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	refused(world, ends[0], "socket");
	(void)close(ends[1]);
	refused(world, open("/proc/self/maps", O_RDONLY), "file of /proc");
	refused(world, open("/dev/zero", O_RDONLY), "device");
	refused(world, open("/", O_RDONLY | O_DIRECTORY), "directory");
	refused(world, open("/", O_PATH), "path without access");
	refused(world, open("/proc/self/exe", O_RDONLY), "file on disk");
	refused(world, eventfd(0, EFD_CLOEXEC), "event");
#ifdef SYS_memfd_secret
	refused(world, (int)syscall(SYS_memfd_secret, O_CLOEXEC), "secret memory");
#endif
}

static void memory_that_may_still_change_is_refused(void **state)
{
	struct world *world = *state;
	const int seals[] = {0,
			     F_SEAL_WRITE,
			     SEALS & ~F_SEAL_WRITE,
			     SEALS & ~F_SEAL_SHRINK,
			     SEALS & ~F_SEAL_GROW,
			     SEALS & ~F_SEAL_SEAL};

	for (unsigned i = 0; i < sizeof(seals) / sizeof(*seals); i++)
		refused(world, memfd(0, sizeof(struct tm_unwind_table), seals[i]), "open memory");
}

static void sizes_beyond_any_table_are_refused_unread(void **state)
{
	struct world *world = *state;

	refused(world, memfd(0, 0, SEALS), "nothing");
	refused(world, memfd(0, sizeof(struct tm_unwind_table) - 1, SEALS), "less than a header");
	refused(world, memfd(0, BUDGET / 2 + 1, SEALS), "more than half of the budget");
	refused(world, memfd(0, 1ll << 40, SEALS), "a tebibyte of holes");
	refused(world, memfd(0, BUDGET / 2, SEALS), "zeroes");
	/*
	 * pages may be missing: a read fails or gives zeroes, an access through a mapping would
	 * kill
	 */
	refused(world, memfd(MFD_HUGETLB, 2 << 20, SEALS), "huge pages");
}

/* A table of one page and one rule with @value written over the word at @at. */
static int corrupted(size_t at, uint32_t value)
{
	int fd = seal_rows(1, 1), r;
	void *copy = NULL;
	size_t bytes = 0;

	assert_int_equal(tm_region_copy_blob(fd, 1, 1 << 20, &copy, &bytes), 0);
	(void)close(fd);
	memcpy((uint8_t *)copy + at, &value, sizeof(value));
	r = tm_region_seal_blob("rows", copy, bytes);
	free(copy);
	return r;
}

static void invalid_tables_are_refused(void **state)
{
	struct world *world = *state;
	const size_t page = tm_unwind_table_bytes(1, 1) - sizeof(struct tm_unwind_table_page);

	refused(world, corrupted(offsetof(struct tm_unwind_table, magic), 0), "no magic");
	refused(world, corrupted(offsetof(struct tm_unwind_table, pages), 2), "a page too many");
	refused(world, corrupted(offsetof(struct tm_unwind_table, pages), UINT32_MAX),
		"2^32 pages");
	refused(world, corrupted(offsetof(struct tm_unwind_table, rules), UINT32_MAX),
		"2^32 rules");
	refused(world, corrupted(offsetof(struct tm_unwind_table, rules), 0), "no rules");
	refused(world, corrupted(offsetof(struct tm_unwind_table, rows), 0),
		"another count of rows");
	refused(world, corrupted(page, 1), "a page that does not begin at its start");
	refused(world, corrupted(page + sizeof(struct tm_unwind_table_page) - 4, 7),
		"a rule beyond the rules");
	refused(world, corrupted(page - sizeof(struct tm_rule), UINT32_MAX), "an unknown rule");
}

static void only_one_of_a_flood_of_answers_is_accepted(void **state)
{
	struct world *world = *state;
	int fd = seal_rows(1, 1);

	for (uint32_t i = 0; i < 1000; i++)
		answer_by(world, i % 7, KTIME, dup(fd)); /* before any FILE */
	hand_over(world, 5, 0);
	for (int i = 0; i < 1000; i++)
		answer_by(world, 5, KTIME, dup(fd));
	for (int i = 0; i < 1000; i++)
		answer_by(world, TM_UNWIND_MAP_VDSO, 0, dup(fd));
	assert_int_equal(world->tables.counts.installed, 2);
	assert_int_equal(world->tables.counts.refused, 1000 + 2 * 999);
	assert_int_equal(world->tables.alloc.taken, 6);
	assert_int_equal(world->queue.count, 0);
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(descriptors_of_other_kinds_are_refused),
		CASE(memory_that_may_still_change_is_refused),
		CASE(sizes_beyond_any_table_are_refused_unread),
		CASE(invalid_tables_are_refused),
		CASE(only_one_of_a_flood_of_answers_is_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
