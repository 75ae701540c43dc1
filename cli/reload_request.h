/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reload_request - the message of `tidemark reload`, and what its answer says of each key
 */

#include <stdio.h>

#include "cli/config_file.h"
#include "shared/reload.h"

/* A key that the file does not set has the value of its variable in our environment, which is that
 * of the symbolizer's unit where systemd runs us, drop-ins included; else its default. What is
 * wrong in these variables is a problem of @file. Return: 0, -ENOMEM. */
int reload_request_take_environment(struct config_file *file);
/* @file: without a problem. */
void reload_request_make(const struct config_file *file, struct tm_reload *ret_message);
/* @answer: any bytes. Return: 0, -EBADMSG. */
int reload_request_check(const struct tm_reload_answer *answer);
/* Writes what is in effect now, and what needs a restart of which units. @answer: checked */
void reload_request_print(FILE *out, const struct config_file *file,
			  const struct tm_reload_answer *answer);
