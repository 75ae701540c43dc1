/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resource_options - the options of `tidemark record` about what OTLP profiles say of host, service
 * and deployment
 */

#include "cli/resource_options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/problem.h"
#include "shared/percent.h"
#include "shared/utf8.h"

#define SERVICE_NAME "service.name"

enum {
	LABEL_E_FORM = 1, /* it is not KEY=VALUE, too long, or not clean */
	LABEL_E_TAKEN,    /* tidemark says what this key means, or it is there */
	LABEL_E_FULL,
};

/* --- labels ----------------------------------------------------------------------------------- */

static bool is_clean(const char *text, size_t bytes)
{
	char clean[TM_UTF8_CLEAN_BYTES(RESOURCE_LABEL_BYTES)];

	return tm_utf8_clean(text, bytes, clean, sizeof(clean)) == bytes &&
	       memcmp(clean, text, bytes) == 0;
}

static bool has_key(const char *label, const char *key, size_t bytes)
{
	return strncmp(label, key, bytes) == 0 && label[bytes] == '=';
}

/* What is found out for each process, container and thread. */
static bool is_ours(const char *key, size_t bytes)
{
	static const char *const prefixes[] = {"process.", "thread.", "profile.", "tidemark."};
	static const char *const keys[] = {SERVICE_NAME, "container.id", "k8s.pod.uid"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (bytes == strlen(keys[i]) && memcmp(key, keys[i], bytes) == 0)
			return true;
	return false;
}

static bool is_label(const char *label)
{
	const char *equals = strchr(label, '=');

	return equals && equals > label && strlen(label) < RESOURCE_LABEL_BYTES &&
	       is_clean(label, strlen(label));
}

/* Return: 0, LABEL_E_FORM, LABEL_E_TAKEN, LABEL_E_FULL. */
static int add_label(struct resource_options *options, const char *label)
{
	const size_t bytes = strcspn(label, "=");

	if (!is_label(label))
		return LABEL_E_FORM;
	if (is_ours(label, bytes))
		return LABEL_E_TAKEN;
	for (size_t i = 0; i < options->label_count; i++)
		if (has_key(options->labels[i], label, bytes))
			return LABEL_E_TAKEN;
	if (options->label_count == RESOURCE_LABELS_MAX)
		return LABEL_E_FULL;
	options->labels[options->label_count++] = label;
	return 0;
}

bool resource_options_have(const struct resource_options *options, const char *key)
{
	for (size_t i = 0; i < options->label_count; i++)
		if (has_key(options->labels[i], key, strlen(key)))
			return true;
	return false;
}

/* --- options ---------------------------------------------------------------------------------- */

static int set_label(struct resource_options *options, const char *value, char *ret_problem)
{
	switch (add_label(options, value)) {
	case 0:
		return 0;
	case LABEL_E_TAKEN:
		return problem_write(ret_problem,
				     "--label %s: this key is given twice, or tidemark itself says "
				     "what it is for each process",
				     value);
	case LABEL_E_FULL:
		return problem_write(ret_problem, "--label is given more than %u times",
				     RESOURCE_LABELS_MAX);
	default:
		return problem_write(ret_problem,
				     "--label %s: KEY=VALUE of less than %u bytes of UTF-8, "
				     "without control characters, is needed",
				     value, RESOURCE_LABEL_BYTES);
	}
}

static bool is_service_name(const char *name)
{
	return name[0] && strlen(name) < RESOURCE_LABEL_BYTES && is_clean(name, strlen(name));
}

static int set_service_name(struct resource_options *options, const char *value, char *ret_problem)
{
	if (!is_service_name(value))
		return problem_write(ret_problem,
				     "--service-name %s: a name of less than %u bytes of UTF-8, "
				     "without control characters, is needed",
				     value, RESOURCE_LABEL_BYTES);
	options->service_name = value;
	return 0;
}

static int set_grouping(struct resource_options *options, const char *value, char *ret_problem)
{
	static const char *const groupings[] = {"process", "container", "service"};

	for (size_t i = 0; i < sizeof(groupings) / sizeof(groupings[0]); i++)
		if (strcmp(value, groupings[i]) == 0) {
			options->grouping = groupings[i];
			return 0;
		}
	return problem_write(ret_problem,
			     "--resource-grouping %s: process, container or service is needed",
			     value);
}

int resource_options_set(struct resource_options *options, enum resource_option option,
			 const char *value, char *ret_problem)
{
	switch (option) {
	case RESOURCE_OPTION_SERVICE:
		return set_service_name(options, value, ret_problem);
	case RESOURCE_OPTION_LABEL:
		return set_label(options, value, ret_problem);
	case RESOURCE_OPTION_GROUPING:
		break;
	}
	return set_grouping(options, value, ret_problem);
}

/* --- environment ------------------------------------------------------------------------------ */

/* Copies without the blanks around it. Return: where the copy ends; NULL: it makes no sense. */
static char *decode(const char *text, size_t bytes, char *to)
{
	while (bytes > 0 && isblank((unsigned char)text[0])) {
		text++;
		bytes--;
	}
	while (bytes > 0 && isblank((unsigned char)text[bytes - 1]))
		bytes--;
	for (size_t i = 0; i < bytes; i++) {
		int c = (unsigned char)text[i];

		if (c == '%') {
			c = bytes - i > 2 ? tm_percent_byte(text + i + 1) : -1;
			i += 2;
		}
		if (c <= 0)
			return NULL;
		*to++ = (char)c;
	}
	return to;
}

/* Return: where the copy of "KEY=VALUE" ends, behind its NUL; NULL: it makes no sense. */
static char *decode_entry(const char *entry, size_t bytes, char *to)
{
	const char *equals = memchr(entry, '=', bytes);
	const size_t key = equals ? (size_t)(equals - entry) : 0;
	char *end = equals ? decode(entry, key, to) : NULL;

	if (!end || memchr(to, '=', (size_t)(end - to)))
		return NULL;
	*end++ = '=';
	end = decode(equals + 1, bytes - key - 1, end);
	if (end)
		*end++ = '\0';
	return end;
}

/* What tidemark says itself, and what an option has said, is left out. */
static bool take_label(struct resource_options *options, const char *label)
{
	const char *name = has_key(label, SERVICE_NAME, strlen(SERVICE_NAME))
				   ? label + sizeof(SERVICE_NAME)
				   : NULL;

	if (name && !is_service_name(name))
		return false;
	if (name && !options->service_name)
		options->service_name = name;
	return name || add_label(options, label) == 0 ||
	       (is_label(label) && options->label_count < RESOURCE_LABELS_MAX);
}

/* Return: whether every entry makes sense. */
static bool take_attributes(struct resource_options *options, const char *value)
{
	char *to = options->text;

	if (strlen(value) >= sizeof(options->text)) /* decoding makes nothing longer */
		return false;
	while (value[strspn(value, ", \t")]) {
		const size_t bytes = strcspn(value, ",");
		const char *label = to;

		if (strspn(value, " \t") < bytes) { /* there may be nothing between two commas */
			to = decode_entry(value, bytes, to);
			if (!to || !take_label(options, label))
				return false;
		}
		value += bytes;
		value += *value == ',';
	}
	return true;
}

void resource_options_take_environment(struct resource_options *options)
{
	const char *name = getenv("OTEL_SERVICE_NAME");
	const char *attributes = getenv("OTEL_RESOURCE_ATTRIBUTES");
	const char *given;
	const size_t count = options->label_count;

	if (!options->service_name && name && name[0]) {
		if (is_service_name(name))
			options->service_name = name;
		else
			options->refused = "OTEL_SERVICE_NAME";
	}
	given = options->service_name;
	if (!attributes || take_attributes(options, attributes))
		return;
	options->refused = "OTEL_RESOURCE_ATTRIBUTES";
	options->label_count = count;
	options->service_name = given;
}
