/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_environment_file - prints the assignments of the files named, each as KEY=VALUE and a NUL,
 * and "#" and a NUL for a comment that goes on; behind those of a file stands one more NUL
 */

#include <stdio.h>
#include <stdlib.h>

#include "cli/environment_file.h"

#define BYTES_MAX 65536

static void print(void *context, size_t line, const char *key, const char *value)
{
	(void)printf("%s=%s", key, value);
	(void)putchar('\0');
}

static void tell(void *context, size_t line, const char *key, enum environment_file_note note)
{
	if (note == ENVIRONMENT_FILE_COMMENT_GOES_ON) {
		(void)putchar('#');
		(void)putchar('\0');
	}
}

int main(int argc, char **argv)
{
	const struct environment_file_reader reader = {.assign = print, .note = tell};
	static char text[BYTES_MAX];

	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "re");
		size_t bytes;

		if (!file)
			return EXIT_FAILURE;
		bytes = fread(text, 1, sizeof(text), file);
		(void)fclose(file);
		if (environment_file_read(text, bytes, &reader) < 0)
			return EXIT_FAILURE;
		(void)putchar('\0');
	}
	return EXIT_SUCCESS;
}
