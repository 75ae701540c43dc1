/* SPDX-License-Identifier: Apache-2.0 */
/* reload_request - the message of `tidemark reload`, and what its answer says of each key */

#include "cli/reload_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/problem.h"
#include "cli/terminal.h"
#include "shared/parse.h"

/* --- the message ------------------------------------------------------------------------------ */

int reload_request_take_environment(struct config_file *file)
{
	char reason[PROBLEM_BYTES], sentence[PROBLEM_BYTES];

	for (int i = 0; i < CONFIG_KEYS_N; i++) {
		const char *value = getenv(config_keys[i].name);

		if (!value || file->values[i].line)
			continue;
		if (config_keys_check(&config_keys[i], value, reason) != 0) {
			(void)problem_write(sentence, "%s in the environment: %s",
					    config_keys[i].name, reason);
			file->problems++;
			file->problem(file->context, 0, sentence);
		}
		file->values[i].text = strdup(value);
		if (!file->values[i].text)
			return -ENOMEM;
	}
	return 0;
}

/* Of the key that the symbolizer knows as @value. */
static const char *value_of(const struct config_file *file, enum tm_reload_value value)
{
	for (int i = 0; i < CONFIG_KEYS_N; i++)
		if (config_keys[i].reload == value)
			return config_file_value(file, i);
	return "";
}

static uint64_t number_of(const struct config_file *file, enum tm_reload_value value)
{
	uint64_t number = 0;

	(void)tm_parse_number(value_of(file, value), 0, UINT64_MAX, &number);
	return number;
}

static void copy(char *to, size_t bytes, const char *text)
{
	(void)snprintf(to, bytes, "%s", text);
}

void reload_request_make(const struct config_file *file, struct tm_reload *ret_message)
{
	struct tm_reload *to = ret_message;

	memset(to, 0, sizeof(*to));
	to->magic = TM_RELOAD_MAGIC;
	to->version = TM_RELOAD_VERSION;
	to->bytes = sizeof(*to);
	to->interval_ms = number_of(file, TM_RELOAD_INTERVAL);
	to->hz = number_of(file, TM_RELOAD_RATE);
	to->memory_bytes = number_of(file, TM_RELOAD_MEMORY);
	to->cpu_max_ppm = (uint32_t)number_of(file, TM_RELOAD_CPU_MAX);
	to->off_cpu = config_keys_is_on(value_of(file, TM_RELOAD_OFF_CPU));
	to->sends = *value_of(file, TM_RELOAD_SENDS) != '\0';
	to->keeps = number_of(file, TM_RELOAD_KEEPS) > 0;
	copy(to->service_name, sizeof(to->service_name), value_of(file, TM_RELOAD_SERVICE_NAME));
	copy(to->labels, sizeof(to->labels), value_of(file, TM_RELOAD_LABELS));
	copy(to->grouping, sizeof(to->grouping), value_of(file, TM_RELOAD_GROUPING));
}

/* --- the answer ------------------------------------------------------------------------------- */

int reload_request_check(const struct tm_reload_answer *answer)
{
	return answer->magic == TM_RELOAD_MAGIC && answer->version == TM_RELOAD_VERSION &&
			       answer->bytes == sizeof(*answer) &&
			       !(answer->changed & ~(uint32_t)TM_RELOAD_CHANGES) &&
			       !(answer->differ & ~(uint32_t)TM_RELOAD_RESTARTS)
		       ? 0
		       : -EBADMSG;
}

static void print_value(FILE *out, const struct config_file *file, int key)
{
	char text[TERMINAL_CLEAN_MAX];

	(void)snprintf(text, sizeof(text), "%s=%s", config_keys[key].name,
		       config_file_value(file, key));
	terminal_clean(text, sizeof(text));
	(void)fputs(text, out);
}

static void print_known(FILE *out, const struct config_file *file,
			const struct tm_reload_answer *answer)
{
	char services[CONFIG_SERVICES];

	for (int i = 0; i < CONFIG_KEYS_N; i++) {
		const uint32_t bit = config_keys[i].reload;

		if (!(bit & (answer->changed | answer->differ)))
			continue;
		print_value(out, file, i);
		config_keys_services(config_keys[i].services, "tidemark-", services);
		if (bit & answer->changed)
			(void)fputs(": in effect\n", out);
		else
			(void)fprintf(out,
				      ": another value is in effect until "
				      "systemctl restart %s\n",
				      services);
	}
	if (!answer->changed)
		(void)fputs("no value has changed\n", out);
}

/* Whether these values run already only that service knows. */
static void print_unknown(FILE *out, const struct config_file *file, enum config_service service,
			  const struct tm_reload_answer *answer)
{
	char name[CONFIG_SERVICES];
	bool any = false;

	config_keys_services(service, "tidemark-", name);
	for (int i = 0; i < CONFIG_KEYS_N; i++) {
		if (!(config_keys[i].services & service) ||
		    (config_keys[i].reload & answer->differ))
			continue;
		if (!any)
			(void)fprintf(out, "applied at the next restart of %s.service, if not yet:",
				      name);
		(void)fputc(' ', out);
		print_value(out, file, i);
		any = true;
	}
	if (any)
		(void)fputc('\n', out);
}

void reload_request_print(FILE *out, const struct config_file *file,
			  const struct tm_reload_answer *answer)
{
	print_known(out, file, answer);
	print_unknown(out, file, CONFIG_COLLECTOR, answer);
	print_unknown(out, file, CONFIG_EXPORTER, answer);
	print_unknown(out, file, CONFIG_SPOOL, answer);
}
