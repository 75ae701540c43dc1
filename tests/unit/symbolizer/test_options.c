/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_options - the options that the command passes are parsed strictly
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/base/budget.h"
#include "symbolizer/options.h"

static char program[] = "tidemark-symbolizer";
static char *arguments[8] = {program};
static const char *bad;
static struct options options;

static int parse(const char *extra)
{
	static char control[] = "--control-fd=3", wire[] = "--wire-fd=4",
		    parser[] = "--parser-fd=5", hz[] = "--hz=99";

	arguments[1] = control;
	arguments[2] = wire;
	arguments[3] = parser;
	arguments[4] = hz;
	arguments[5] = (char *)(uintptr_t)extra;
	return options_parse(&options, extra ? 6 : 5, arguments, &bad);
}

static void full_set_is_parsed(void **state)
{
	assert_int_equal(parse("--output=html:9"), 0);
	assert_int_equal(options.control_fd, 3);
	assert_int_equal(options.wire_fd, 4);
	assert_int_equal(options.parser_fd, 5);
	assert_int_equal(options.hz, 99);
	assert_int_equal(options.memory_bytes, BUDGET_TOTAL_BYTES);
	assert_int_equal(options.output_count, 1);
	assert_int_equal(options.outputs[0].format, OUTPUTS_HTML);
	assert_int_equal(options.outputs[0].fd, 9);
	assert_int_equal(parse("--title=a b"), 0);
	assert_string_equal(options.title, "a b");
	assert_false(options.off_cpu);
	assert_int_equal(parse("--off-cpu"), 0);
	assert_true(options.off_cpu);
	assert_false(options.debug_files);
	assert_int_equal(parse("--debug-files"), 0);
	assert_true(options.debug_files);
	assert_false(options.runtime_internals);
	assert_int_equal(parse("--runtime-internals"), 0);
	assert_true(options.runtime_internals);
	assert_false(options.no_demangle);
	assert_int_equal(options.folded_lines, REPORT_LINES_PYTHON);
	assert_int_equal(parse("--folded-lines=none"), 0);
	assert_int_equal(options.folded_lines, REPORT_LINES_NONE);
	assert_int_equal(parse("--folded-lines=all"), 0);
	assert_int_equal(options.folded_lines, REPORT_LINES_ALL);
	assert_true(parse("--folded-lines=some") < 0);
	assert_int_equal(parse("--no-demangle"), 0);
	assert_true(options.no_demangle);
	assert_int_equal(options.cache_fd, -1);
	assert_int_equal(parse("--memory-bytes=2147483648"), 0);
	assert_int_equal(options.memory_bytes, 2147483648u);
	assert_false(options.ask_memory);
	assert_int_equal(parse("--ask-memory"), 0);
	assert_true(options.ask_memory);
	assert_int_equal(options.perf_map_mib, 64);
	assert_int_equal(options.cpu_max_ppm, 0);
	assert_int_equal(parse("--cpu-max-ppm=1000000"), 0);
	assert_int_equal(options.cpu_max_ppm, 1000000);
	assert_int_equal(parse("--cpu-max-ppm=0"), 0); /* the governor is off */
	assert_int_equal(options.cpu_max_ppm, 0);
	assert_int_equal(parse("--perf-map-mib=512"), 0);
	assert_int_equal(options.perf_map_mib, 512);
}

/* Arguments are changed while they are parsed. */
static int parse_service(const char *first, const char *second)
{
	static char texts[8][64];
	const char *const given[8] = {"tidemark-symbolizer",
				      "--service",
				      "--hz=19",
				      "--connect=/run/a.sock",
				      "--parser=/usr/libexec/parser",
				      "--every-ms=5000",
				      first,
				      second};
	char *argv[8];

	for (size_t i = 0; i < 8; i++) {
		(void)snprintf(texts[i], sizeof(texts[i]), "%s", given[i]);
		argv[i] = texts[i];
	}
	return options_parse(&options, 8, argv, &bad);
}

static void service_needs_no_descriptor(void **state)
{
	assert_int_equal(parse_service("--off-cpu=yes", "--labels=team=storage,tier=1"), 0);
	assert_string_equal(options.connect, "/run/a.sock");
	assert_string_equal(options.parser, "/usr/libexec/parser");
	assert_int_equal(options.every_ms, 5000);
	assert_true(options.off_cpu);
	assert_false(options.exports);
	assert_int_equal(options.resource.resource.attribute_count, 2);
	assert_string_equal(options.resource.attributes[1].key, "tier");
	assert_string_equal(options.resource.attributes[1].value, "1");
	/* What a unit passes on of variables that are empty. */
	assert_int_equal(parse_service("--off-cpu=", "--labels="), 0);
	assert_false(options.off_cpu);
	assert_int_equal(parse_service("--service-name=", "--endpoint="), 0);
	assert_false(options.exports);
	assert_int_equal(parse_service("--cache=", "--endpoint=http://localhost:4318"), 0);
	assert_true(options.exports);
	assert_null(options.cache);
	assert_true(parse_service("--labels=a=b,a=c", "--off-cpu") < 0);
	assert_true(parse_service("--every-ms=99", "--off-cpu") < 0);
}

static void each_format_has_its_word(void **state)
{
	assert_int_equal(parse("--output=folded:9"), 0);
	assert_int_equal(options.outputs[0].format, OUTPUTS_FOLDED);
	assert_int_equal(parse("--output=pprof:9"), 0);
	assert_int_equal(options.outputs[0].format, OUTPUTS_PPROF);
	assert_int_equal(parse("--output=speedscope:9"), 0);
	assert_int_equal(options.outputs[0].format, OUTPUTS_SPEEDSCOPE);
}

static void anything_else_is_refused_by_name(void **state)
{
	static const char *const wrong[] = {"--output=html",
					    "--output=htm:9",
					    "--output=html:x",
					    "--output=html:2",
					    "--output=:9",
					    "--hz=0",
					    "--hz=10001",
					    "--hz=",
					    "--control-fd=0",
					    "--wire-fd=-1",
					    "--wire-fd=4x",
					    "--parser-fd=99999999999",
					    "--other=1",
					    "word",
					    "",
					    "--resource-grouping=pod",
					    "--resource=key",
					    "--resource==value",
					    "--resource=a=\xff",
					    "--resource=a=b\n",
					    "--service-name=a\tb",
					    "--off-cpu=perhaps",
					    "--labels=a",
					    "--every-ms=5000", /* only with --service */
					    "--connect=/a",
					    "--memory-bytes=0",
					    "--memory-bytes=2147483649"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (parse(wrong[i]) >= 0)
			fail_msg("taken: %s", wrong[i]);
		assert_string_equal(bad, wrong[i]);
	}
}

static void cache_and_boot_id_need_each_other(void **state)
{
	static char cache[] = "--cache-fd=8", boot[] = "--boot-id=a";

	assert_true(parse(cache) < 0);
	assert_true(parse(boot) < 0);
	assert_true(parse("--boot-id=") < 0);
	(void)parse(cache);
	arguments[6] = boot;
	assert_int_equal(options_parse(&options, 7, arguments, &bad), 0);
	assert_int_equal(options.cache_fd, 8);
	assert_string_equal(options.boot_id, "a");
}

static void resources_are_described(void **state)
{
	static char first[] = "--resource=host.name=a b", second[] = "--resource=zone=x=y",
		    again[] = "--resource=zone=z";

	assert_int_equal(parse(NULL), 0);
	assert_string_equal(options.resource.resource.service_name, "");
	assert_int_equal(options.resource.resource.grouping, REPORT_BY_PROCESS);
	assert_int_equal(parse("--service-name=shop"), 0);
	assert_string_equal(options.resource.resource.service_name, "shop");
	assert_int_equal(parse("--resource-grouping=container"), 0);
	assert_int_equal(options.resource.resource.grouping, REPORT_BY_CONTAINER);
	arguments[5] = first;
	arguments[6] = second;
	assert_int_equal(options_parse(&options, 7, arguments, &bad), 0);
	assert_int_equal(options.resource.resource.attribute_count, 2);
	assert_string_equal(options.resource.resource.attributes[0].key, "host.name");
	assert_string_equal(options.resource.resource.attributes[0].value, "a b");
	assert_string_equal(options.resource.resource.attributes[1].value, "x=y");
	first[sizeof("--resource=host.name") - 1] = second[sizeof("--resource=zone") - 1] = '=';
	arguments[7] = again;
	assert_true(options_parse(&options, 8, arguments, &bad) < 0);
}

static void missing_descriptor_is_refused(void **state)
{
	assert_true(options_parse(&options, 1, arguments, &bad) < 0);
	assert_true(options_parse(&options, 4, arguments, &bad) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_set_is_parsed),
		cmocka_unit_test(each_format_has_its_word),
		cmocka_unit_test(service_needs_no_descriptor),
		cmocka_unit_test(anything_else_is_refused_by_name),
		cmocka_unit_test(cache_and_boot_id_need_each_other),
		cmocka_unit_test(resources_are_described),
		cmocka_unit_test(missing_descriptor_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
