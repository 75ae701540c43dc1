/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_quarantine - which files are kept from the parser, and for how long
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolizer/base/quarantine.h"

static struct quarantine quarantine;

static int empty(void **state)
{
	quarantine = (struct quarantine){0};
	return 0;
}

static struct tm_identity file(uint64_t ino)
{
	return (struct tm_identity){.dev = 1, .ino = ino, .ctime_ns = 5};
}

static bool holds(struct tm_identity identity, int64_t now_ms)
{
	return quarantine_holds(&quarantine, &identity, now_ms);
}

static void add(uint64_t ino, int64_t now_ms)
{
	const struct tm_identity identity = file(ino);

	quarantine_add(&quarantine, &identity, now_ms);
}

static void file_stays_for_an_hour(void **state)
{
	add(1, 1000);
	assert_true(holds(file(1), 1000));
	assert_true(holds(file(1), 1000 + QUARANTINE_MS - 1));
	assert_false(holds(file(1), 1000 + QUARANTINE_MS));
}

static void only_this_state_of_the_file_is_meant(void **state)
{
	struct tm_identity changed = file(1);

	add(1, 1000);
	changed.ctime_ns++;
	assert_false(holds(changed, 1000));
	assert_false(holds(file(2), 1000));
}

static void full_quarantine_drops_the_file_that_would_leave_first(void **state)
{
	for (uint32_t i = 0; i <= QUARANTINE_MAX; i++)
		add(i, 1000 + i);
	assert_false(holds(file(0), 2000));
	for (uint32_t i = 1; i <= QUARANTINE_MAX; i++)
		assert_true(holds(file(i), 2000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(file_stays_for_an_hour, empty),
		cmocka_unit_test_setup(only_this_state_of_the_file_is_meant, empty),
		cmocka_unit_test_setup(full_quarantine_drops_the_file_that_would_leave_first,
				       empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
