/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_report_processes - the generations of one pid are numbered by their start
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolizer/output/report_processes.h"

static void generations_of_one_pid_are_numbered_by_start_then_exec(void **state)
{
	static const uint32_t wanted[] = {3, 2, 0, 1};
	struct report_process processes[] = {
		{.tgid = 42, .start_boottime = 900, .exec_id = 1},
		{.tgid = 42, .start_boottime = 100, .exec_id = 2},
		{.tgid = 43, .start_boottime = 100, .exec_id = 1},
		{.tgid = 42, .start_boottime = 100, .exec_id = 1},
	};

	assert_int_equal(report_processes_number(processes, 4), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(processes[i].reuse, wanted[i]);
}

static void a_pid_with_one_generation_has_no_number(void **state)
{
	struct report_process processes[] = {{.tgid = 2}, {.tgid = 1}, {.tgid = 3}};

	assert_int_equal(report_processes_number(processes, 0), 0);
	assert_int_equal(report_processes_number(processes, 3), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(processes[i].reuse, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generations_of_one_pid_are_numbered_by_start_then_exec),
		cmocka_unit_test(a_pid_with_one_generation_has_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
