/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_otlp_services - how services are named, and which processes share a resource
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolizer/base/budget.h"
#include "symbolizer/output/otlp_services.h"

enum { /* strings */
	NONE,
	NGINX,
	SHELL,
	COMM,
	UNIT,
	USER,
	CONTAINER,
	OTHER,
	STRINGS_N,
};

static const char *const strings[STRINGS_N] = {
	[NONE] = "",
	[NGINX] = "/usr/sbin/nginx",
	[SHELL] = "/bin/sh",
	[COMM] = "a thread",
	[UNIT] = "/system.slice/web@1.service/x",
	[USER] = "/user.slice/user-1.slice/user@1.service/nginx.service",
	[CONTAINER] = "0123",
	[OTHER] = "4567",
};

static const struct report_process processes[] = {
	{.tgid = 1, .exe = NGINX, .comm = COMM, .cgroup = UNIT},
	{.tgid = 2, .exe = SHELL, .comm = COMM, .cgroup = UNIT},
	{.tgid = 3, .exe = NGINX, .comm = COMM, .cgroup = USER},
	{.tgid = 4, .exe = NGINX, .comm = COMM, .cgroup = UNIT, .container = CONTAINER},
	{.tgid = 5, .exe = NGINX, .comm = COMM, .container = CONTAINER},
	{.tgid = 6, .exe = SHELL, .comm = COMM, .container = CONTAINER},
	{.tgid = 7, .exe = NGINX, .comm = COMM, .container = OTHER},
	{.tgid = 8, .comm = COMM},
	{.tgid = 9, .comm = COMM},  /* a kernel thread */
	{.tgid = 10, .comm = COMM}, /* without a sample */
};

#define PROCESSES (sizeof(processes) / sizeof(processes[0]))
#define SAMPLES   (PROCESSES - 1)

static struct report_sample samples[SAMPLES];
static struct report_resource resource;
static struct report report;
static struct otlp_services services;

static int begin(void **state)
{
	for (uint32_t i = 0; i < SAMPLES; i++)
		samples[i] = (struct report_sample){.process = i};
	samples[8].flags = TM_FLAG_KTHREAD;
	resource = (struct report_resource){.service_name = ""};
	report = (struct report){
		.strings = strings,
		.string_count = STRINGS_N,
		.processes = processes,
		.process_count = PROCESSES,
		.samples = samples,
		.sample_count = SAMPLES,
		.resource = &resource,
	};
	return 0;
}

static int end(void **state)
{
	otlp_services_deinit(&services);
	return 0;
}

static void services_have_names_by_rule(void **state)
{
	static const char *const names[SAMPLES] = {"web@1", "web@1",           "nginx",
						   "nginx", "nginx",           "sh",
						   "nginx", "unknown_service", "kernel"};

	assert_int_equal(otlp_services_init(&services, &report), 0);
	for (uint32_t i = 0; i < SAMPLES; i++)
		assert_string_equal(services.names[i], names[i]);
	assert_null(services.names[SAMPLES]);
}

static void a_given_name_is_that_of_all(void **state)
{
	resource.service_name = "shop";
	assert_int_equal(otlp_services_init(&services, &report), 0);
	for (uint32_t i = 0; i < SAMPLES; i++)
		assert_string_equal(services.names[i], "shop");
}

static void expect_resources(enum report_grouping grouping, const uint32_t numbers[SAMPLES])
{
	otlp_services_deinit(&services);
	resource.grouping = grouping;
	assert_int_equal(otlp_services_init(&services, &report), 0);
	for (uint32_t i = 0; i < SAMPLES; i++)
		assert_int_equal(services.resources[i], numbers[i]);
}

static void resources_are_grouped(void **state)
{
	expect_resources(REPORT_BY_PROCESS, (uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8});
	expect_resources(REPORT_BY_CONTAINER, (uint32_t[]){0, 0, 1, 2, 2, 3, 4, 5, 6});
	expect_resources(REPORT_BY_SERVICE, (uint32_t[]){0, 0, 1, 1, 1, 2, 1, 3, 4});
	resource.service_name = "shop";
	expect_resources(REPORT_BY_CONTAINER, (uint32_t[]){0, 0, 0, 1, 1, 1, 2, 0, 0});
	expect_resources(REPORT_BY_SERVICE, (uint32_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0});
}

static void without_memory_there_are_none(void **state)
{
	struct budget spent = {.limit = 100};

	report.memory = &spent;
	assert_int_equal(otlp_services_init(&services, &report), -ENOMEM);
	otlp_services_deinit(&services);
	assert_int_equal(spent.used, 0);
}

#define claim(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(services_have_names_by_rule),
		claim(a_given_name_is_that_of_all),
		claim(resources_are_grouped),
		claim(without_memory_there_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
