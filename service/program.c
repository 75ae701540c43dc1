/* SPDX-License-Identifier: Apache-2.0 */
/* program - the path and the arguments of a program that is to be executed */

#include "service/program.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EXIT_EXEC 127 /* of a shell whose command cannot be executed */

static void add(struct program *program, char *argument)
{
	if (program->count == PROGRAM_ARGUMENTS_MAX || !argument)
		program->failed = true;
	else
		program->arguments[program->count++] = argument;
}

void program_init(struct program *program, char *path)
{
	char *name = strrchr(path, '/');

	memset(program, 0, sizeof(*program)); /* too large for a compound literal */
	program->path = path;
	add(program, name ? name + 1 : path);
}

void program_add(struct program *program, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	add(program, length < 0 ? NULL : text); /* for the life of the process */
}

void program_add_all(struct program *program, char **arguments)
{
	for (; *arguments; arguments++)
		add(program, *arguments);
}

int program_become(struct program *program)
{
	if (program->failed)
		errno = E2BIG;
	else
		(void)execv(program->path, program->arguments);
	(void)fprintf(stderr, "%s cannot be started: %s\n", program->path, strerror(errno));
	return EXIT_EXEC;
}
