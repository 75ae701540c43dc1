/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_selection - who is shown: by name, pid, container and unit of systemd
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolizer/viewer/selection.h"

static const char *const strings[] = {
	"",
	"nginx",
	"worker",
	"/system.slice/nginx.service/inner",
	"34dc0b5e626f2c5c",
	"/user.slice/user-1000.slice/user@1000.service/app.slice/run-1.scope",
};
static const struct report_process nginx = {.tgid = 7, .comm = 1, .cgroup = 3, .container = 4};
static const struct report_process user = {.tgid = 8, .comm = 2, .cgroup = 5};

#define WORKER 2 /* string: the thread's name */

static bool has(const struct selection *selection, const struct report_process *process)
{
	return selection_has(selection, strings, process, WORKER);
}

static void nothing_given_selects_everything(void **state)
{
	const struct selection selection = {0};

	assert_true(has(&selection, &nginx));
	assert_true(has(&selection, &user));
}

static void comm_is_the_thread_s_name_or_its_process_s(void **state)
{
	const struct selection process = {.comms = {{"nginx"}, 1}};
	const struct selection thread = {.comms = {{"worker"}, 1}};
	const struct selection part = {.comms = {{"work"}, 1}};

	assert_true(has(&process, &nginx));
	assert_false(has(&process, &user));
	assert_true(has(&thread, &nginx));
	assert_false(has(&part, &nginx));
}

static void any_of_several_values_suffices_and_each_kind_must_be_met(void **state)
{
	const struct selection either = {.pids = {9, 7}, .pid_count = 2};
	const struct selection both = {.pids = {7, 8}, .pid_count = 2, .comms = {{"nginx"}, 1}};

	assert_true(has(&either, &nginx));
	assert_false(has(&either, &user));
	assert_true(has(&both, &nginx));
	assert_false(has(&both, &user));
}

static void the_beginning_of_a_container_s_id_suffices(void **state)
{
	const struct selection beginning = {.containers = {{"34dc"}, 1}};
	const struct selection middle = {.containers = {{"dc0b"}, 1}};

	assert_true(has(&beginning, &nginx));
	assert_false(has(&beginning, &user));
	assert_false(has(&middle, &nginx));
}

static void a_unit_is_a_whole_component_of_the_cgroup(void **state)
{
	static const struct {
		const char *unit;
		const struct report_process *process;
		bool has;
	} cases[] = {
		{"nginx.service", &nginx, true}, {"nginx", &nginx, true},
		{"ngin", &nginx, false},         {"nginx.servic", &nginx, false},
		{"system.slice", &nginx, true},  {"inner", &nginx, true},
		{"user@1000", &user, true},      {"run-1.scope", &user, true},
		{"run-1", &user, false},         {"nginx", &user, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct selection selection = {.units = {{cases[i].unit}, 1}};

		assert_int_equal(has(&selection, cases[i].process), cases[i].has);
	}
}

static void a_report_without_length_belongs_to_its_instant(void **state)
{
	const struct selection_window window = {100, 200};

	assert_true(selection_has_time(&window, 100, 0));
	assert_false(selection_has_time(&window, 200, 0));
	assert_true(selection_has_time(&window, 50, 51));
	assert_false(selection_has_time(&window, 50, 50));
	assert_true(selection_has_time(&window, 0, UINT64_MAX));
	assert_false(selection_has_time(&window, UINT64_MAX, UINT64_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_given_selects_everything),
		cmocka_unit_test(comm_is_the_thread_s_name_or_its_process_s),
		cmocka_unit_test(any_of_several_values_suffices_and_each_kind_must_be_met),
		cmocka_unit_test(the_beginning_of_a_container_s_id_suffices),
		cmocka_unit_test(a_unit_is_a_whole_component_of_the_cgroup),
		cmocka_unit_test(a_report_without_length_belongs_to_its_instant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
