/* SPDX-License-Identifier: Apache-2.0 */
/* option - parses the options --name=VALUE that one program of ours passes to another */

#include "shared/option.h"

#include <errno.h>
#include <string.h>

#include "shared/parse.h"

#define FIRST_FD 3

char *tm_option_value(char *argument, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(argument, name, length) != 0 || argument[length] != '=')
		return NULL;
	return argument + length + 1;
}

int tm_option_number(const char *value, unsigned least, unsigned most, unsigned *ret_number)
{
	uint64_t number;
	int r = tm_parse_number(value, least, most, &number);

	if (r == 0)
		*ret_number = (unsigned)number;
	return r;
}

int tm_option_fd(const char *value, int *ret_fd)
{
	return tm_option_number(value, FIRST_FD, TM_OPTION_FD_MAX, (unsigned *)ret_fd);
}

int tm_option_socket(int argc, char **argv)
{
	char *value = argc == 2 ? tm_option_value(argv[1], "--socket-fd") : NULL;
	int fd;

	return value && tm_option_fd(value, &fd) == 0 ? fd : -EINVAL;
}
