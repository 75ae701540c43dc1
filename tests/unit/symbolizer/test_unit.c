/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_unit - the systemd services of cgroup paths, and what only looks like one
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/profile/unit.h"

static void assert_unit(const char *cgroup, const char *name)
{
	struct unit_name unit;

	assert_int_equal(unit_of(cgroup, &unit), 0);
	assert_int_equal(unit.bytes, strlen(name));
	assert_memory_equal(unit.text, name, unit.bytes);
}

static void assert_none(const char *cgroup)
{
	struct unit_name unit;

	assert_int_equal(unit_of(cgroup, &unit), UNIT_E_NONE);
}

static void service_below_slices_is_the_unit(void **state)
{
	assert_unit("/system.slice/nginx.service", "nginx");
	assert_unit("/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1");
	assert_unit("/batch.slice/batch-night.slice/backup.service", "backup");
}

static void what_a_service_makes_below_itself_does_not_count(void **state)
{
	assert_unit("/system.slice/web.service/worker", "web");
	assert_unit("/system.slice/web.service/other.service", "web");
	assert_none("/system.slice/run.scope/other.service");
}

static void underscore_that_systemd_adds_is_left_out(void **state)
{
	assert_unit("/system.slice/_cgroup.service", "cgroup");
	assert_unit("/system.slice/__x.service", "_x");
	assert_unit("/system.slice/_.service", "_");
}

static void users_have_no_services(void **state)
{
	assert_none("/user.slice/user-1000.slice/user@1000.service/app.slice/app.service");
	assert_none("/user.slice/x.service");
	assert_unit("/user-like.slice/x.service", "x");
}

static void other_paths_have_none(void **state)
{
	static const char *const paths[] = {
		"",
		"/",
		"//",
		"/init.scope",
		"/nginx.service",
		"system.slice/nginx.service",
		".../system.slice/nginx.service",
		"/system.slice",
		"/system.slice/",
		"/system.slice/.service",
		"/system.slice/service",
		"/system.slice//nginx.service",
		"/.slice/nginx.service",
		"/docker/nginx.service",
		"/system.slice/nginx.services",
		"/system.slice/docker-0123.scope",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_none(paths[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(service_below_slices_is_the_unit),
		cmocka_unit_test(what_a_service_makes_below_itself_does_not_count),
		cmocka_unit_test(underscore_that_systemd_adds_is_left_out),
		cmocka_unit_test(users_have_no_services),
		cmocka_unit_test(other_paths_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
