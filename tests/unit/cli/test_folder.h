/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * test_folder - makes a folder for one test, which fails unless the folder is empty at its end
 */

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/cli/check.h"

static char folder[PATH_MAX];

static int test_folder_make(void **state)
{
	const char *temporary = getenv("TMPDIR");

	(void)snprintf(folder, sizeof(folder), "%s/tidemark-unit.XXXXXX",
		       temporary ? temporary : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

static int test_folder_drop(void **state)
{
	return rmdir(folder);
}

static const char *test_folder_path(const char *name)
{
	static char paths[4][PATH_MAX + 64];
	static unsigned next;
	char *path = paths[next++ % 4];

	(void)snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

/* The number of entries other than . and .. */
static inline unsigned test_folder_count(void)
{
	unsigned count = 0;
	const struct dirent *entry;
	DIR *open = opendir(folder);

	assert_non_null(open);
	while ((entry = readdir(open)) != NULL)
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	(void)closedir(open);
	return count;
}
