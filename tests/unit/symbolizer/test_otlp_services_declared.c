/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_otlp_services_declared - what processes say of themselves names services where nothing else
 * does, and shares no resource with what is known
 */

#include "symbolizer/output/otlp_services.h"
#include "tests/unit/symbolizer/otlp_context_fixture.h"

static struct otlp_services services;

static int end(void **state)
{
	otlp_services_deinit(&services);
	return 0;
}

static void expect_names(const char *const names[SAMPLED_N])
{
	otlp_services_deinit(&services);
	assert_int_equal(otlp_services_init(&services, &report), 0);
	for (uint32_t i = 0; i < SAMPLED_N; i++)
		assert_string_equal(services.names[i], names[i]);
	assert_null(services.names[UNSAMPLED]);
}

static void a_process_names_its_service_where_nothing_else_does(void **state)
{
	expect_names((const char *const[SAMPLED_N]){"shop", "shop", "shop", "shop", "shop", "shop",
						    "python3", "python3", "shop", "kernel"});
}

static void a_unit_outside_of_containers_says_more_than_a_process(void **state)
{
	strings[CONTEXT] = "service.name=bank";
	for (uint32_t i = 0; i < PROCESSES_N; i++)
		processes[i].context = CONTEXT;
	expect_names((const char *const[SAMPLED_N]){"shop", "bank", "bank", "bank", "bank", "shop",
						    "bank", "bank", "bank", "kernel"});
	for (uint32_t i = 0; i < SAMPLED_N; i++)
		assert_int_equal(services.declared[i],
				 i != IN_UNIT && i != UNIT_DECLARED && i != KTHREAD);
}

static void a_given_name_is_that_of_processes_which_say_another(void **state)
{
	resource.service_name = "given";
	assert_int_equal(otlp_services_init(&services, &report), 0);
	for (uint32_t i = 0; i < SAMPLED_N; i++) {
		assert_string_equal(services.names[i], "given");
		assert_false(services.declared[i]);
	}
}

static void expect_resources(enum report_grouping grouping, const uint32_t numbers[SAMPLED_N])
{
	otlp_services_deinit(&services);
	resource.grouping = grouping;
	assert_int_equal(otlp_services_init(&services, &report), 0);
	for (uint32_t i = 0; i < SAMPLED_N; i++)
		assert_int_equal(services.resources[i], numbers[i]);
}

static void a_name_that_is_declared_shares_no_resource_with_one_that_is_known(void **state)
{
	expect_resources(REPORT_BY_SERVICE, (uint32_t[SAMPLED_N]){0, 1, 0, 1, 1, 0, 2, 2, 0, 3});
	expect_resources(REPORT_BY_CONTAINER, (uint32_t[SAMPLED_N]){0, 1, 0, 1, 2, 0, 3, 3, 4, 5});
	expect_resources(REPORT_BY_PROCESS, (uint32_t[SAMPLED_N]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
	resource.service_name = "given";
	expect_resources(REPORT_BY_SERVICE, (uint32_t[SAMPLED_N]){0});
}

#define claim(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(a_process_names_its_service_where_nothing_else_does),
		claim(a_unit_outside_of_containers_says_more_than_a_process),
		claim(a_given_name_is_that_of_processes_which_say_another),
		claim(a_name_that_is_declared_shares_no_resource_with_one_that_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
