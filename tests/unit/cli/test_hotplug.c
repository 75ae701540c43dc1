/* SPDX-License-Identifier: Apache-2.0 */
/* test_hotplug - which messages of the kernel mean that a CPU came online */

#include "tests/unit/cli/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/hotplug.h"

#define PARSE(text) hotplug_parse(text, sizeof(text), &cpu) /* with its NUL */

static unsigned cpu;

static void a_cpu_that_came_online_is_recognised(void **state)
{
	assert_int_equal(PARSE("online@/devices/system/cpu/cpu1\0ACTION=online\0SEQNUM=7"), 0);
	assert_int_equal(cpu, 1);
	assert_int_equal(PARSE("add@/devices/system/cpu/cpu0"), 0);
	assert_int_equal(cpu, 0);
	assert_int_equal(PARSE("online@/devices/system/cpu/cpu8191"), 0);
	assert_int_equal(cpu, TM_CPUS_MAX - 1);
}

static void messages_about_other_events_are_ignored(void **state)
{
	cpu = 77;
	assert_int_equal(PARSE("offline@/devices/system/cpu/cpu1"), HOTPLUG_E_OTHER);
	assert_int_equal(PARSE("remove@/devices/system/cpu/cpu1"), HOTPLUG_E_OTHER);
	assert_int_equal(PARSE("online@/devices/system/memory/memory1"), HOTPLUG_E_OTHER);
	assert_int_equal(PARSE("add@/devices/system/cpu/cpufreq"), HOTPLUG_E_OTHER);
	assert_int_equal(PARSE("online@/devices/system/cpu/cpu"), HOTPLUG_E_OTHER);
	assert_int_equal(PARSE("online@/devices/system/cpu/cpu1/cache"), HOTPLUG_E_OTHER);
	assert_int_equal(PARSE("online@/devices/system/cpu/cpu-1"), HOTPLUG_E_OTHER);
	assert_int_equal(PARSE("online@/devices/system/cpu/cpu 1"), HOTPLUG_E_OTHER);
	assert_int_equal(PARSE("online@/devices/system/cpu/cpu01"), HOTPLUG_E_OTHER);
	assert_int_equal(PARSE("online@/devices/system/cpu/cpu8192"), HOTPLUG_E_OTHER);
	assert_int_equal(PARSE("online@/devices/system/cpu/cpu99999999999999999999"),
			 HOTPLUG_E_OTHER);
	assert_int_equal(PARSE("libudev\0online@/devices/system/cpu/cpu1"), HOTPLUG_E_OTHER);
	assert_int_equal(PARSE("xonline@/devices/system/cpu/cpu1"), HOTPLUG_E_OTHER);
	assert_int_equal(PARSE(""), HOTPLUG_E_OTHER);
	assert_int_equal(cpu, 77);
}

static void text_without_an_end_is_no_message(void **state)
{
	static const char text[] = "online@/devices/system/cpu/cpu1";
	size_t bytes;

	for (bytes = 0; bytes < sizeof(text); bytes++) {
		char *exact = malloc(bytes + 1); /* a sanitizer notices a read beyond it */

		assert_non_null(exact);
		memcpy(exact, text, bytes);
		assert_int_equal(hotplug_parse(exact, bytes, &cpu), HOTPLUG_E_OTHER);
		free(exact);
	}
}

/* With one or two damaged bytes, a message that is still recognised names a possible CPU. */
static void damaged_messages_name_no_impossible_cpu(void **state)
{
	static const char text[] = "online@/devices/system/cpu/cpu12\0ACTION=online";
	const char *given = getenv("TM_SEED");
	unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : 20261121u;
	char message[sizeof(text)];
	unsigned i, recognised = 0;

	print_message("TM_SEED=%u\n", seed);
	for (i = 0; i < 200000; i++) {
		memcpy(message, text, sizeof(text));
		seed = seed * 1664525u + 1013904223u;
		message[(seed >> 8) % sizeof(text)] = (char)(seed >> 24);
		if (seed & 1u)
			message[29 + (seed >> 16) % 4] = (char)('0' + (seed >> 20) % 10);
		cpu = TM_CPUS_MAX;
		if (hotplug_parse(message, (seed & 2u) ? sizeof(text) : (seed >> 9) % sizeof(text),
				  &cpu) != 0)
			continue;
		assert_true(cpu < TM_CPUS_MAX);
		recognised++;
	}
	assert_true(recognised > 1000 && recognised < 200000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_that_came_online_is_recognised),
		cmocka_unit_test(messages_about_other_events_are_ignored),
		cmocka_unit_test(text_without_an_end_is_no_message),
		cmocka_unit_test(damaged_messages_name_no_impossible_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
