/* SPDX-License-Identifier: Apache-2.0 */
/* test_service_reported - the next symbolizer gets the newest of what its predecessors reported */

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/cleanup.h"
#include "symbolizer/service_reported.h"
#include "tests/unit/shared/fake_systemd.h"

static struct service_reported store;

static int make(void **state)
{
	return make_service();
}

static int unmake(void **state)
{
	for (unsigned i = 0; i < SERVICE_REPORTED_PLACES; i++)
		(void)tm_close(store.kept[i]);
	return unmake_service();
}

static int seal(uint64_t generation, uint64_t until_ktime)
{
	const struct tm_counts counts = {.taken = until_ktime + 1};
	int fd = reported_seal(&counts, generation, until_ktime);

	assert_true(fd >= 0);
	return fd;
}

static void newest_of_this_generation_is_taken(void **state)
{
	struct reported reported;

	add_stored("reported-1", seal(7, 100));
	add_stored("reported-0", seal(7, 200));
	service_reported_open(&store, &service);
	assert_true(service_reported_take(&store, 7, &reported));
	assert_int_equal(reported.until_ktime, 200);
	assert_int_equal(reported.counts.taken, 201);
	assert_int_equal(store.place, 1); /* so that the newest one stays */
	assert_false(service_reported_take(&store, 7, &reported));
}

static void other_generations_and_other_files_are_not_taken(void **state)
{
	struct reported reported;

	add_stored("reported-0", seal(8, 100));
	add_stored("reported-1", open("/dev/null", O_RDONLY | O_CLOEXEC));
	service_reported_open(&store, &service);
	assert_false(service_reported_take(&store, 7, &reported));
}

static void empty_store_has_nothing(void **state)
{
	struct reported reported;

	service_reported_open(&store, &service);
	assert_false(service_reported_take(&store, 7, &reported));
}

static void one_of_the_two_is_there_at_any_time(void **state)
{
	int blob = seal(7, 100);

	service_reported_open(&store, &service);
	for (unsigned i = 0; i < 2; i++)
		service_reported_keep(&store, &service, blob);
	(void)expect_notification("FDSTOREREMOVE=1\nFDNAME=reported-0");
	(void)close(expect_notification("FDSTORE=1\nFDPOLL=0\nFDNAME=reported-0"));
	(void)expect_notification("FDSTOREREMOVE=1\nFDNAME=reported-1");
	(void)close(expect_notification("FDSTORE=1\nFDPOLL=0\nFDNAME=reported-1"));
	(void)close(blob);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(newest_of_this_generation_is_taken),
		CASE(other_generations_and_other_files_are_not_taken),
		CASE(empty_store_has_nothing),
		CASE(one_of_the_two_is_there_at_any_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
