/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * option - what one program of ours hands another one in argv: --name=VALUE
 *
 * Values are parts of the argument. Return of the others: 0; -EINVAL, -ERANGE (shared/parse.h).
 */

#include <stdint.h>

#define TM_OPTION_FD_MAX (1u << 20)

/* What stands behind "--name="; NULL: another option. */
char *tm_option_value(char *argument, const char *name);
int tm_option_number(const char *value, unsigned least, unsigned most, unsigned *ret_number);
/* An inherited descriptor: 3 or above. */
int tm_option_fd(const char *value, int *ret_fd);
/* The one option of a program that only has a socket: --socket-fd=N. Return: N; -EINVAL. */
int tm_option_socket(int argc, char **argv);
