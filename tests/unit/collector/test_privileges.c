/* SPDX-License-Identifier: Apache-2.0 */
/* test_privileges - if a step of the confinement fails, its error is returned */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/privileges.h"
#include "shared/sandbox.h"

/* The linker redirects the collector's calls to these functions (--wrap). */
int __wrap_tm_sandbox_harden(void);
int __wrap_tm_sandbox_limits(unsigned long descriptors, unsigned long address_space_bytes);
int __wrap_tm_sandbox_filter(const struct tm_filter *filter);
cap_t __wrap_cap_get_proc(void);
int __wrap_cap_set_proc(cap_t capabilities);
int __wrap_cap_reset_ambient(void);
int __wrap_cap_set_ambient(cap_value_t capability, cap_flag_value_t value);
int __wrap_cap_drop_bound(cap_value_t capability);

enum call {
	NONE,
	HARDEN,
	GET,
	AMBIENT,
	SET,
	LIMITS,
	FILTER,
	CALLS
};

static enum call fails;
static unsigned called[CALLS];
static unsigned raised; /* ambient capabilities */
static cap_flag_value_t effective[2],
	inheritable[2]; /* for CAP_BPF and CAP_PERFMON, as they were set */
static const cap_value_t checked[] = {CAP_BPF, CAP_PERFMON};

static bool failing(enum call call)
{
	called[call]++;
	errno = call == fails ? EPERM : 0;
	return call == fails;
}

int __wrap_tm_sandbox_harden(void)
{
	return failing(HARDEN) ? -EPERM : 0;
}

int __wrap_tm_sandbox_limits(unsigned long descriptors, unsigned long address_space_bytes)
{
	assert_int_equal(descriptors, 77);
	return failing(LIMITS) ? -EPERM : 0;
}

int __wrap_tm_sandbox_filter(const struct tm_filter *filter)
{
	return failing(FILTER) ? -EPERM : 0;
}

/* The process seems to hold both capabilities, whoever runs the test. */
cap_t __wrap_cap_get_proc(void)
{
	cap_t held = failing(GET) ? NULL : cap_init();

	if (held)
		assert_int_equal(cap_set_flag(held, CAP_PERMITTED, 2, checked, CAP_SET), 0);
	return held;
}

int __wrap_cap_set_proc(cap_t capabilities)
{
	if (failing(SET))
		return -1;
	for (int i = 0; i < 2; i++) {
		(void)cap_get_flag(capabilities, checked[i], CAP_EFFECTIVE, &effective[i]);
		(void)cap_get_flag(capabilities, checked[i], CAP_INHERITABLE, &inheritable[i]);
	}
	return 0;
}

int __wrap_cap_reset_ambient(void)
{
	return failing(AMBIENT) ? -1 : 0;
}

int __wrap_cap_set_ambient(cap_value_t capability, cap_flag_value_t value)
{
	raised++;
	return 0;
}

int __wrap_cap_drop_bound(cap_value_t capability)
{
	return -1; /* without CAP_SETPCAP */
}

static int make(void **state)
{
	fails = NONE;
	raised = 0;
	memset(called, 0, sizeof(called));
	memset(effective, 0, sizeof(effective));
	memset(inheritable, 0, sizeof(inheritable));
	return 0;
}

static void every_step_that_fails_ends_the_confinement(void **state)
{
	for (fails = HARDEN; fails < CALLS; fails++) {
		memset(called, 0, sizeof(called));
		assert_int_equal(privileges_confine(77), -EPERM);
		for (enum call later = fails + 1; later < CALLS; later++)
			assert_int_equal(called[later], 0);
	}
}

static void collector_keeps_both_capabilities_for_itself_alone(void **state)
{
	assert_int_equal(privileges_confine(77), 0);
	for (enum call call = HARDEN; call < CALLS; call++)
		assert_int_equal(called[call], 1);
	assert_int_equal(effective[0], CAP_SET);
	assert_int_equal(effective[1], CAP_SET);
	assert_int_equal(inheritable[0], CAP_CLEAR);
	assert_int_equal(raised, 0);
}

static void capability_that_is_not_held_is_not_asked_for(void **state)
{
	static const cap_value_t missing[] = {CAP_SYS_ADMIN};

	assert_int_equal(privileges_keep(missing, 1), 0);
	assert_int_equal(called[SET], 1);
	assert_int_equal(effective[0], CAP_CLEAR);
}

#define CASE(name) cmocka_unit_test_setup(name, make)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(every_step_that_fails_ends_the_confinement),
		CASE(collector_keeps_both_capabilities_for_itself_alone),
		CASE(capability_that_is_not_held_is_not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
