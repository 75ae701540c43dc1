/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * config_file - what a configuration file says: the value of each key, and what is wrong
 *
 * Shape      as systemd reads it (environment_file.h): of several assignments to a key the last one
 *            counts; a file with a NUL, or invalid UTF-8 in an assignment, is refused as a whole.
 * Limits     CONFIG_FILE_BYTES_MAX bytes of file.
 */

#include <stdbool.h>
#include <stddef.h>

#include "cli/config_keys.h"

#define CONFIG_FILE_BYTES_MAX (1u << 20)

struct config_value {
	char *text;  /* NULL: the default */
	size_t line; /* from 1; 0: the default */
};

struct config_file {
	bool refused;    /* as a whole: the defaults are what the services get */
	size_t problems; /* that were found */
	int error;       /* -errno: values are missing */
	struct config_value values[CONFIG_KEYS_N];
	/* Gets each problem, one sentence that is safe for a terminal. @line: 0: of the file */
	void (*problem)(void *context, size_t line, const char *sentence);
	void *context;
};

/* @file: with .problem and .context set. Return: 0, -errno. */
int config_file_read(struct config_file *file, const char *text, size_t bytes);
/* Reads the file @path. Return: 0, -errno, -EFBIG. */
int config_file_open(struct config_file *file, const char *path);
/* The value that the services get. */
const char *config_file_value(const struct config_file *file, int key);
void config_file_free(struct config_file *file);
