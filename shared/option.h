/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * option - parses the options --name=VALUE that one program of ours passes to another
 *
 * Owner      a value points into the argument that was passed in.
 * Errors     -EINVAL, -ERANGE, as in shared/parse.h; ret_* is written only on success.
 */

#define TM_OPTION_FD_MAX (1u << 20) /* default of fs.nr_open, which no descriptor exceeds */

/* @name: with its dashes. Return: the text behind "@name=", NULL: it is another option. */
char *tm_option_value(char *argument, const char *name);
int tm_option_number(const char *value, unsigned least, unsigned most, unsigned *ret_number);
/* The number of an inherited descriptor: from 3 to TM_OPTION_FD_MAX. */
int tm_option_fd(const char *value, int *ret_fd);
/* For a program whose only option is --socket-fd=N. Return: N, -EINVAL. */
int tm_option_socket(int argc, char **argv);
