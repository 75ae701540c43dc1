/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_config_keys - the table of keys says what the units do with them, and the other way round
 *
 * Reads the units and the file that is installed, in the folder TM_SYSTEMD.
 */

#include "tests/unit/cli/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/config_keys.h"
#include "cli/problem.h"

#define TEXT_MAX  16384
#define NAME_LAST "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

static const char *const services[CONFIG_SERVICES_N] = {"collector", "symbolizer", "exporter",
							"spool"};
static const char *const others[] = {"opener", "parser"}; /* they read no key */

/* Of @service, or of the file `tidemark.conf` if it is NULL. */
static const char *read_file(const char *service)
{
	static char text[TEXT_MAX];
	char path[512];
	FILE *file;
	size_t bytes;

	(void)snprintf(path, sizeof(path), TM_SYSTEMD "/tidemark%s%s.%s", service ? "-" : "",
		       service ? service : "", service ? "service.in" : "conf");
	file = fopen(path, "re");
	if (!file)
		fail_msg("%s cannot be opened", path);
	bytes = fread(text, 1, sizeof(text) - 1, file);
	assert_true(bytes > 0 && bytes < sizeof(text) - 1);
	assert_int_equal(fclose(file), 0);
	text[bytes] = '\0';
	return text;
}

/* Whether @text has @word with a blank, a quote or a line's end on both sides. */
static bool has_word(const char *text, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at++)
		if (at > text && strchr(" =\n", at[-1]) && strchr(" \n\\", at[length]))
			return true;
	return false;
}

/* The default, the use and the option in the unit of @service, or nothing of it. */
static void assert_unit_agrees(const char *unit, const char *service, const struct config_key *key,
			       bool reads)
{
	char use[128], option[128], fallback[128];

	(void)snprintf(use, sizeof(use), "${%s}", key->name);
	(void)snprintf(option, sizeof(option), "%s=${%s}", key->option, key->name);
	(void)snprintf(fallback, sizeof(fallback), "%s=%s", key->name, key->fallback);
	if (reads && !strstr(unit, option))
		fail_msg("tidemark-%s.service has no %s", service, option);
	if (!reads && strstr(unit, use))
		fail_msg("tidemark-%s.service uses %s", service, key->name);
	if (reads && !has_word(unit, fallback))
		fail_msg("tidemark-%s.service does not begin with %s", service, fallback);
}

static void units_use_what_the_table_says(void **state)
{
	for (unsigned s = 0; s < CONFIG_SERVICES_N; s++) {
		const char *unit = read_file(services[s]);

		for (int i = 0; i < CONFIG_KEYS_N; i++)
			assert_unit_agrees(unit, services[s], &config_keys[i],
					   config_keys[i].services & 1u << s);
	}
	for (unsigned s = 0; s < sizeof(others) / sizeof(others[0]); s++) {
		const char *unit = read_file(others[s]);

		for (int i = 0; i < CONFIG_KEYS_N; i++)
			assert_unit_agrees(unit, others[s], &config_keys[i], false);
	}
}

static void assert_all_known(const char *text, const char *file)
{
	for (const char *at = text; (at = strstr(at, "TIDEMARK_")); at++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "%.*s", (int)strspn(at, NAME_LAST), at);
		if (config_keys_find(name) < 0)
			fail_msg("%s has %s, which is not in the table", file, name);
	}
}

static void the_table_has_what_the_units_use(void **state)
{
	for (unsigned s = 0; s < CONFIG_SERVICES_N; s++)
		assert_all_known(read_file(services[s]), services[s]);
	for (unsigned s = 0; s < sizeof(others) / sizeof(others[0]); s++)
		assert_all_known(read_file(others[s]), others[s]);
}

static void the_installed_file_shows_every_default(void **state)
{
	const char *text = read_file(NULL);
	char line[128];

	assert_all_known(text, "tidemark.conf");
	for (int i = 0; i < CONFIG_KEYS_N; i++) {
		(void)snprintf(line, sizeof(line), "\n#%s=%s\n", config_keys[i].name,
			       config_keys[i].fallback);
		if (!strstr(text, line))
			fail_msg("tidemark.conf does not show %s", line);
	}
}

/* The comment before a key, from the last empty line on. */
static void the_installed_file_says_what_a_change_needs(void **state)
{
	const char *text = read_file(NULL);

	for (int i = 0; i < CONFIG_KEYS_N; i++) {
		static char comment[TEXT_MAX];
		char line[128];
		const char *at, *begin = text;

		(void)snprintf(line, sizeof(line), "\n#%s=", config_keys[i].name);
		at = strstr(text, line);
		assert_non_null(at);
		for (const char *empty = text; (empty = strstr(empty, "\n\n")) && empty < at;
		     empty++)
			begin = empty;
		(void)snprintf(comment, sizeof(comment), "%.*s", (int)(at - begin), begin);
		if (!strstr(comment,
			    config_keys_is_reloaded(&config_keys[i]) ? "(reload)" : "(restart)") ||
		    (strstr(comment, "(reload)") && strstr(comment, "(restart)")))
			fail_msg("tidemark.conf does not say what %s needs", config_keys[i].name);
	}
}

/* Each value of the message is that of one key, and only the symbolizer changes what runs. */
static void each_value_of_a_reload_has_one_key(void **state)
{
	uint32_t seen = 0;

	for (int i = 0; i < CONFIG_KEYS_N; i++) {
		const struct config_key *key = &config_keys[i];

		assert_int_equal(seen & key->reload, 0);
		seen |= key->reload;
		assert_int_equal(key->reload != 0, (key->services & CONFIG_SYMBOLIZER) != 0);
		if (config_keys_is_reloaded(key))
			assert_int_equal(key->services, CONFIG_SYMBOLIZER);
	}
	assert_int_equal(seen, TM_RELOAD_CHANGES | TM_RELOAD_RESTARTS);
}

/* The symbolizer would not start. */
static void labels_do_not_say_what_the_unit_says_of_the_host(void **state)
{
	const char *unit = read_file("symbolizer"), *option = "--resource=";
	char label[64], problem[PROBLEM_BYTES];
	const struct config_key *labels = &config_keys[config_keys_find("TIDEMARK_LABELS")];
	int count = 0;

	for (const char *at = unit; (at = strstr(at, option)); count++) {
		at += strlen(option);
		(void)snprintf(label, sizeof(label), "team=a,%.*s=x", (int)strcspn(at, "="), at);
		if (config_keys_check(labels, label, problem) == 0)
			fail_msg("%s is taken", label);
	}
	assert_int_equal(count, 4);
}

static void defaults_are_valid(void **state)
{
	char problem[PROBLEM_BYTES];

	for (int i = 0; i < CONFIG_KEYS_N; i++)
		assert_int_equal(
			config_keys_check(&config_keys[i], config_keys[i].fallback, problem), 0);
}

static void assert_value(const char *name, const char *value, bool is_right)
{
	char problem[PROBLEM_BYTES];
	const int r = config_keys_check(&config_keys[config_keys_find(name)], value, problem);

	if ((r == 0) != is_right)
		fail_msg("%s=%s: %s", name, value, r == 0 ? "taken" : problem);
}

static void values_are_checked(void **state)
{
	assert_value("TIDEMARK_SPOOL_BYTES", "0", true);
	assert_value("TIDEMARK_SPOOL_BYTES", "1048576", true);
	assert_value("TIDEMARK_SPOOL_BYTES", "1048575", false);
	assert_value("TIDEMARK_SERVICE_NAME", "web 1", true);
	assert_value("TIDEMARK_SERVICE_NAME", "web\n1", false);
	assert_value("TIDEMARK_LABELS", "a=1,b=2", true);
	assert_value("TIDEMARK_LABELS", "a=1,a=2", false);
	assert_value("TIDEMARK_LABELS", "a=1,", false);
	assert_value("TIDEMARK_LABELS", "a", false);
	assert_value("TIDEMARK_LABELS", "service.name=x", false);
	assert_value("TIDEMARK_LABELS", "host.names=x", true);
	assert_value("TIDEMARK_RESOURCE_GROUPING", "container", true);
	assert_value("TIDEMARK_RESOURCE_GROUPING", "", false);
}

static void the_nearest_key_is_near(void **state)
{
	char longest[300];

	for (int i = 0; i < CONFIG_KEYS_N; i++)
		assert_ptr_equal(config_keys_nearest(config_keys[i].name), &config_keys[i]);
	assert_string_equal(config_keys_nearest("TIDEMARK_OFFCPU")->name, "TIDEMARK_OFF_CPU");
	assert_string_equal(config_keys_nearest("tidemark_ring_kb")->name, "TIDEMARK_RING_KIB");
	assert_null(config_keys_nearest("LD_LIBRARY_PATH"));
	assert_null(config_keys_nearest(""));
	memset(longest, 'A', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_null(config_keys_nearest(longest));
}

static void services_are_listed(void **state)
{
	char text[CONFIG_SERVICES];

	config_keys_services((1u << CONFIG_SERVICES_N) - 1, "tidemark-", text);
	assert_string_equal(
		text, "tidemark-collector tidemark-symbolizer tidemark-exporter tidemark-spool");
	config_keys_services(0, "x", text);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_use_what_the_table_says),
		cmocka_unit_test(the_table_has_what_the_units_use),
		cmocka_unit_test(the_installed_file_shows_every_default),
		cmocka_unit_test(the_installed_file_says_what_a_change_needs),
		cmocka_unit_test(each_value_of_a_reload_has_one_key),
		cmocka_unit_test(labels_do_not_say_what_the_unit_says_of_the_host),
		cmocka_unit_test(defaults_are_valid),
		cmocka_unit_test(values_are_checked),
		cmocka_unit_test(the_nearest_key_is_near),
		cmocka_unit_test(services_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
