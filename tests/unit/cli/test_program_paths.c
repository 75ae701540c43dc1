/* SPDX-License-Identifier: Apache-2.0 */
/* test_program_paths - finds the paths of the other programs in the build tree and installed */

#include "tests/unit/cli/check.h"

#include <errno.h>
#include <string.h>

#include "cli/program_paths.h"

static void build_tree_has_a_folder_each(void **state)
{
	static const char *const places[PROGRAM_PATHS_N] = {
		[PROGRAM_PATHS_COLLECTOR] = "/b/cli/../collector/tidemark-collector",
		[PROGRAM_PATHS_OPENER] = "/b/cli/../collector/opener/tidemark-opener",
		[PROGRAM_PATHS_SYMBOLIZER] = "/b/cli/../symbolizer/tidemark-symbolizer",
		[PROGRAM_PATHS_PARSER] = "/b/cli/../symbolizer/parser/tidemark-parser",
		[PROGRAM_PATHS_DEBUGINFOD] = "/b/cli/../symbolizer/debuginfod/tidemark-debuginfod",
		[PROGRAM_PATHS_EXPORTER] = "/b/cli/../symbolizer/exporter/tidemark-exporter",
		[PROGRAM_PATHS_VIEWER] = "/b/cli/../symbolizer/viewer/tidemark-viewer",
		[PROGRAM_PATHS_SPOOL] = "/b/cli/../symbolizer/spool/tidemark-spool",
	};
	char path[PATH_MAX];
	int i;

	for (i = 0; i < PROGRAM_PATHS_N; i++) {
		assert_int_equal(
			program_paths_path("/b/cli", (enum program_paths_program)i, 0, path), 0);
		assert_string_equal(path, places[i]);
	}
}

static void installed_programs_share_one_folder(void **state)
{
	char path[PATH_MAX], other[PATH_MAX];

	assert_int_equal(program_paths_path("/usr/bin", PROGRAM_PATHS_COLLECTOR, 1, path), 0);
	assert_int_equal(program_paths_path("/usr/bin", PROGRAM_PATHS_PARSER, 1, other), 0);
	assert_non_null(strstr(path, "/tidemark/tidemark-collector"));
	assert_non_null(strstr(other, "/tidemark/tidemark-parser"));
	assert_int_equal(strrchr(path, '/') - path, strrchr(other, '/') - other);
	assert_memory_equal(path, other, (size_t)(strrchr(path, '/') - path));
}

static void path_beyond_the_limit_is_refused(void **state)
{
	char directory[PATH_MAX], path[PATH_MAX];

	memset(directory, 'd', sizeof(directory));
	directory[sizeof(directory) - 10] = '\0';
	assert_int_equal(program_paths_path(directory, PROGRAM_PATHS_PARSER, 0, path),
			 -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_tree_has_a_folder_each),
		cmocka_unit_test(installed_programs_share_one_folder),
		cmocka_unit_test(path_beyond_the_limit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
