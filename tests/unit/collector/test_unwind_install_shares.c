/* SPDX-License-Identifier: Apache-2.0 */
/* test_unwind_install_shares - whose tables are evicted where there is no space for all */

#include "tests/unit/collector/unwind_install_fixture.h"

/* So many owners use the file: @first and the next ones. */
static void used_by(struct world *world, uint32_t number, uint16_t first, uint8_t count)
{
	struct file_requests_entry *entry = &world->files.entries[number];

	entry->user_count = count;
	for (unsigned i = 0; i < count && i < FILE_REQUESTS_USERS; i++)
		entry->users[i] = (uint16_t)(first + i);
}

/* Installs a table of so many hundredths of the budget, whose file was announced @age_ms ago. */
static void install_used(struct world *world, uint32_t number, uint32_t hundredths, uint32_t age_ms,
			 uint16_t first, uint8_t count)
{
	hand_over(world, number, age_ms);
	used_by(world, number, first, count);
	answer(world, number, UNITS * hundredths / 100);
	while (world->tables.pending)
		pass(world);
}

/* One owner's many files are newer than the other's, which is sampled all the time. */
static void owner_of_most_tables_displaces_his_own(void **state)
{
	struct world *world = *state;

	install_used(world, 1, 25, 1000, 7, 1);
	for (uint32_t number = 100; number < 140; number++) {
		world->files.entries[1].seen_ms = (uint32_t)tm_clock_ms() - 1000;
		hand_over(world, number, 0);
		used_by(world, number, 8, 1);
		answer(world, number, UNITS / 40);
		while (world->tables.pending)
			pass(world);
	}
	assert_int_not_equal(world->references[1], 0);
	assert_int_not_equal(world->references[139], 0);
	assert_int_equal(world->tables.counts.installed, 41);
	assert_true(world->tables.counts.evicted >= 10);

	/* He who has less may displace what the other has too much of. */
	install_used(world, 2, 25, 0, 9, 1);
	assert_int_not_equal(world->references[1], 0);
	assert_int_not_equal(world->references[2], 0);
}

/* Whoever has them: nobody has sampled these files for more than an epoch. */
static void unused_tables_go_first(void **state)
{
	struct world *world = *state;

	install_used(world, 1, 33, 21000, 7, 1);
	install_used(world, 2, 33, 1000, 8, 1);
	install_used(world, 3, 33, 1000, 8, 1);
	install_used(world, 4, 33, 0, 9, 1);
	assert_int_equal(world->references[1], 0);
	assert_int_not_equal(world->references[2], 0);
	assert_int_not_equal(world->references[3], 0);
	assert_int_not_equal(world->references[4], 0);
}

/* One of two users has less than another owner, though all that he uses is more. */
static void shared_table_counts_in_equal_parts(void **state)
{
	struct world *world = *state;

	install_used(world, 1, 40, 3000, 7, 2);
	install_used(world, 2, 27, 1000, 9, 1); /* the newest */
	install_used(world, 3, 5, 5000, 7, 1);  /* 7 has 25 now, and 8 has 20 */
	install_used(world, 4, 25, 4000, 10, 4);
	install_used(world, 5, 22, 0, 20, 1);
	assert_int_equal(world->references[2], 0);
	install_used(world, 6, 8, 0, 21, 1); /* 7 has most; but table 1 is also 8's, who has less */
	assert_int_equal(world->references[3], 0);
	assert_int_equal(world->tables.counts.evicted, 2);
	assert_int_not_equal(world->references[1], 0);
	assert_int_not_equal(world->references[4], 0);
}

/* Unless all who use it have more. */
static void shared_table_goes_with_its_users(void **state)
{
	struct world *world = *state;

	install_used(world, 1, 40, 1000, 7, 2);
	install_used(world, 2, 18, 3000, 9, 1);
	install_used(world, 3, 17, 4000, 10, 1);
	install_used(world, 4, 15, 5000, 11, 1);
	install_used(world, 5, 20, 0, 12, 1);
	assert_int_equal(world->references[1], 0);
	assert_int_equal(world->tables.counts.evicted, 1);
}

/* First those with the fewest users, and none once it has no more than half. */
static void common_pool_has_half_of_the_budget(void **state)
{
	struct world *world = *state;

	install_used(world, 1, 20, 1000, 7, 6);
	install_used(world, 2, 25, 3000, 7, 8);
	install_used(world, 3, 20, 2000, 7, 5);
	install_used(world, 4, 20, 0, 30, 1);
	install_used(world, 5, 20, 0, 31, 1); /* the pool has 65 */
	assert_int_equal(world->references[3], 0);
	assert_int_equal(world->tables.counts.evicted, 1);
	install_used(world, 6, 20, 0, 7, 5); /* once more 65 */
	assert_int_equal(world->references[4] && world->references[5], 0);
	install_used(world, 7, 18, 0, 32, 1);
	assert_int_equal(world->references[6], 0);
	assert_true(world->references[1] && world->references[2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(owner_of_most_tables_displaces_his_own),
		CASE(unused_tables_go_first),
		CASE(shared_table_counts_in_equal_parts),
		CASE(shared_table_goes_with_its_users),
		CASE(common_pool_has_half_of_the_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
