/* SPDX-License-Identifier: Apache-2.0 */
/* test_reload_request - each key has its place in the message, and the answer names the keys */

#include "tests/unit/cli/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reload_request.h"
#include "shared/cleanup.h"

static size_t problems;

static void on_problem(void *context, size_t line, const char *sentence)
{
	assert_int_equal(line, 0);
	assert_non_null(strstr(sentence, "in the environment"));
	problems++;
}

static void read_text(struct config_file *file, const char *text)
{
	*file = (struct config_file){.problem = on_problem};
	problems = 0;
	assert_int_equal(config_file_read(file, text, strlen(text)), 0);
	assert_int_equal(file->problems, 0);
}

/* --- the message ------------------------------------------------------------------------------ */

static void defaults_are_sent(void **state)
{
	static struct tm_reload message;
	struct config_file file;

	read_text(&file, "");
	memset(&message, 0xff, sizeof(message));
	reload_request_make(&file, &message);
	assert_int_equal(message.magic, TM_RELOAD_MAGIC);
	assert_int_equal(message.version, TM_RELOAD_VERSION);
	assert_int_equal(message.bytes, sizeof(message));
	assert_int_equal(message.interval_ms, 5000);
	assert_int_equal(message.hz, 19);
	assert_int_equal(message.memory_bytes, 512u << 20);
	assert_int_equal(message.cpu_max_ppm, 10000);
	assert_int_equal(message.off_cpu, 0);
	assert_int_equal(message.sends, 0);
	assert_int_equal(message.keeps, 1);
	assert_string_equal(message.service_name, "");
	assert_string_equal(message.labels, "");
	assert_string_equal(message.grouping, "process");
	config_file_free(&file);
}

static void each_key_of_the_file_is_sent(void **state)
{
	static struct tm_reload message;
	struct config_file file;

	read_text(&file, "TIDEMARK_RATE=97\nTIDEMARK_OFF_CPU=yes\nTIDEMARK_OFF_CPU_RATE=5\n"
			 "TIDEMARK_INTERVAL_MS=250\nTIDEMARK_OTLP_ENDPOINT=unix:///a\n"
			 "TIDEMARK_SPOOL_BYTES=0\nTIDEMARK_SERVICE_NAME=a b\n"
			 "TIDEMARK_LABELS=\"team=x,tier=1\"\nTIDEMARK_RESOURCE_GROUPING=service\n"
			 "TIDEMARK_CPU_MAX_PPM=0\nTIDEMARK_MEMORY_BYTES=16777216\n");
	reload_request_make(&file, &message);
	assert_int_equal(message.hz, 97);
	assert_int_equal(message.off_cpu, 1);
	assert_int_equal(message.interval_ms, 250);
	assert_int_equal(message.sends, 1);
	assert_int_equal(message.keeps, 0);
	assert_string_equal(message.service_name, "a b");
	assert_string_equal(message.labels, "team=x,tier=1");
	assert_string_equal(message.grouping, "service");
	assert_int_equal(message.cpu_max_ppm, 0);
	assert_int_equal(message.memory_bytes, 16777216);
	config_file_free(&file);
}

static void environment_has_what_the_file_does_not_set(void **state)
{
	static struct tm_reload message;
	struct config_file file;

	read_text(&file, "TIDEMARK_INTERVAL_MS=250\n");
	assert_int_equal(setenv("TIDEMARK_INTERVAL_MS", "300", 1), 0);
	assert_int_equal(setenv("TIDEMARK_LABELS", "team=unit", 1), 0);
	assert_int_equal(reload_request_take_environment(&file), 0);
	assert_int_equal(file.problems, 0);
	reload_request_make(&file, &message);
	assert_int_equal(message.interval_ms, 250);
	assert_string_equal(message.labels, "team=unit");
	config_file_free(&file);
	read_text(&file, "TIDEMARK_INTERVAL_MS=250\n");
	assert_int_equal(setenv("TIDEMARK_LABELS", "team", 1), 0);
	assert_int_equal(reload_request_take_environment(&file), 0);
	assert_int_equal(file.problems, 1);
	assert_int_equal(problems, 1);
	config_file_free(&file);
	(void)unsetenv("TIDEMARK_INTERVAL_MS");
	(void)unsetenv("TIDEMARK_LABELS");
}

/* --- the answer ------------------------------------------------------------------------------- */

static struct tm_reload_answer answer_of(uint32_t changed, uint32_t differ)
{
	return (struct tm_reload_answer){.magic = TM_RELOAD_MAGIC,
					 .version = TM_RELOAD_VERSION,
					 .bytes = sizeof(struct tm_reload_answer),
					 .changed = changed,
					 .differ = differ};
}

static void answer_with_bits_of_no_key_is_refused(void **state)
{
	struct tm_reload_answer answer = answer_of(TM_RELOAD_CHANGES, TM_RELOAD_RESTARTS);

	assert_int_equal(reload_request_check(&answer), 0);
	for (unsigned bit = 0; bit < 32; bit++) {
		answer = answer_of(1u << bit, 0);
		assert_int_equal(reload_request_check(&answer),
				 1u << bit & TM_RELOAD_CHANGES ? 0 : -EBADMSG);
		answer = answer_of(0, 1u << bit);
		assert_int_equal(reload_request_check(&answer),
				 1u << bit & TM_RELOAD_RESTARTS ? 0 : -EBADMSG);
	}
	answer = answer_of(0, 0);
	answer.version++;
	assert_int_equal(reload_request_check(&answer), -EBADMSG);
	answer = answer_of(0, 0);
	answer.bytes++;
	assert_int_equal(reload_request_check(&answer), -EBADMSG);
	answer = answer_of(0, 0);
	answer.magic++;
	assert_int_equal(reload_request_check(&answer), -EBADMSG);
}

static void assert_printed(const char *conf, uint32_t changed, uint32_t differ, const char *text)
{
	const struct tm_reload_answer answer = answer_of(changed, differ);
	_cleanup_(tm_freep) char *printed = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&printed, &bytes);
	struct config_file file;

	assert_non_null(out);
	read_text(&file, conf);
	reload_request_print(out, &file, &answer);
	config_file_free(&file);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(printed, text);
}

#define UNKNOWN "applied at the next restart of tidemark-"

static void what_changed_and_what_needs_a_restart_is_said(void **state)
{
	assert_printed("TIDEMARK_INTERVAL_MS=250\nTIDEMARK_LABELS=team=x\nTIDEMARK_RATE=97\n",
		       TM_RELOAD_INTERVAL | TM_RELOAD_LABELS, TM_RELOAD_RATE,
		       "TIDEMARK_RATE=97: another value is in effect until systemctl restart "
		       "tidemark-collector tidemark-symbolizer\n"
		       "TIDEMARK_INTERVAL_MS=250: in effect\n"
		       "TIDEMARK_LABELS=team=x: in effect\n" UNKNOWN
		       "collector.service, if not yet: TIDEMARK_OFF_CPU_RATE=0 "
		       "TIDEMARK_MEMORY_BYTES=536870912 TIDEMARK_RING_KIB=0\n" UNKNOWN
		       "exporter.service, if not yet: TIDEMARK_OTLP_ENDPOINT=\n" UNKNOWN
		       "spool.service, if not yet: TIDEMARK_SPOOL_BYTES=268435456 "
		       "TIDEMARK_SPOOL_SECONDS=86400\n");
}

static void nothing_new_is_said_to_be_nothing(void **state)
{
	assert_printed("", 0, TM_RELOAD_SENDS | TM_RELOAD_KEEPS | TM_RELOAD_MEMORY | TM_RELOAD_RATE,
		       "TIDEMARK_RATE=19: another value is in effect until systemctl restart "
		       "tidemark-collector tidemark-symbolizer\n"
		       "TIDEMARK_OTLP_ENDPOINT=: another value is in effect until systemctl "
		       "restart tidemark-symbolizer tidemark-exporter\n"
		       "TIDEMARK_SPOOL_BYTES=268435456: another value is in effect until systemctl "
		       "restart tidemark-symbolizer tidemark-spool\n"
		       "TIDEMARK_MEMORY_BYTES=536870912: another value is in effect until "
		       "systemctl restart tidemark-collector tidemark-symbolizer\n"
		       "no value has changed\n" UNKNOWN
		       "collector.service, if not yet: TIDEMARK_OFF_CPU_RATE=0 "
		       "TIDEMARK_RING_KIB=0\n" UNKNOWN
		       "spool.service, if not yet: TIDEMARK_SPOOL_SECONDS=86400\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_sent),
		cmocka_unit_test(each_key_of_the_file_is_sent),
		cmocka_unit_test(environment_has_what_the_file_does_not_set),
		cmocka_unit_test(answer_with_bits_of_no_key_is_refused),
		cmocka_unit_test(what_changed_and_what_needs_a_restart_is_said),
		cmocka_unit_test(nothing_new_is_said_to_be_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
