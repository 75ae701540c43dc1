/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * config_keys - the keys of tidemark.conf: one table for the check, --help, man page and tests
 *
 * A new key is a row here, its default as Environment= in the units that read it, and a comment in
 * systemd/tidemark.conf; tests/unit/cli/test_config_keys.c says where it is missing.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/reload.h"

/* The services that read a key. */
enum config_service {
	CONFIG_COLLECTOR = 1 << 0,
	CONFIG_SYMBOLIZER = 1 << 1,
	CONFIG_EXPORTER = 1 << 2,
	CONFIG_SPOOL = 1 << 3,
	CONFIG_SERVICES_N = 4,
};

enum config_kind {
	CONFIG_NUMBER,       /* from least to most */
	CONFIG_NUMBER_OR_0,  /* the same, or 0 */
	CONFIG_SWITCH,       /* yes or no */
	CONFIG_ENDPOINT,     /* shared/otlp_endpoint.h; may be empty */
	CONFIG_SERVICE_NAME, /* resource_options.h; may be empty */
	CONFIG_LABELS,       /* of these, with commas between them; may be empty */
	CONFIG_GROUPING,
};

struct config_key {
	const char *name;
	const char *fallback; /* the default, as the units have it */
	enum config_kind kind;
	uint64_t least, most;
	unsigned services;           /* of enum config_service */
	enum tm_reload_value reload; /* what `tidemark reload` does with it; 0: nothing */
	const char *option;          /* what it becomes on the command lines of these */
	const char *sentence;        /* what it is */
};

#define CONFIG_FILE_DEFAULT "/etc/tidemark/tidemark.conf"

#define CONFIG_KEYS_N       13
#define CONFIG_LIMITS       64u /* bytes of a text of config_keys_limits */
#define CONFIG_SERVICES     96u /* of config_keys_services */

extern const struct config_key config_keys[CONFIG_KEYS_N];

/* Return: index of the key of that name, -1. */
int config_keys_find(const char *name);
/* Return: the key that was probably meant; NULL: none is near. */
const struct config_key *config_keys_nearest(const char *name);
/* Writes the sentence, as problem.h. Return: 0, PROBLEM_E_USAGE. */
int config_keys_check(const struct config_key *key, const char *value, char *ret_problem);
/* Whether a reload is enough for what runs to have another value; else each of its services has to
 * be restarted. */
bool config_keys_is_reloaded(const struct config_key *key);
/* @value: valid, of a CONFIG_SWITCH */
bool config_keys_is_on(const char *value);
/* "1 to 10000" */
void config_keys_limits(const struct config_key *key, char ret_text[CONFIG_LIMITS]);
/* "collector symbolizer", each behind @prefix; @services: of enum config_service */
void config_keys_services(unsigned services, const char *prefix, char ret_text[CONFIG_SERVICES]);
