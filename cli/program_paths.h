/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * program_paths - finds the other programs relative to this one, never by the environment
 *
 * Installed  DIR/../libexec/tidemark/NAME, DIR being the folder of /proc/self/exe (the relation of
 *            meson's bindir and libexecdir).
 * Build tree DIR/../collector/NAME and so on. The installed place is tried first.
 */

#include <limits.h>
#include <stdbool.h>

enum program_paths_program {
	PROGRAM_PATHS_COLLECTOR,
	PROGRAM_PATHS_OPENER,
	PROGRAM_PATHS_SYMBOLIZER,
	PROGRAM_PATHS_PARSER,
	PROGRAM_PATHS_DEBUGINFOD,
	PROGRAM_PATHS_EXPORTER,
	PROGRAM_PATHS_VIEWER,
	PROGRAM_PATHS_SPOOL,
	PROGRAM_PATHS_N,
};

/* tidemark-collector and so on. */
const char *program_paths_name(enum program_paths_program program);
/* A program's path. @directory: of this program; @installed: else in the build tree.
 * Return: 0, -ENAMETOOLONG. */
int program_paths_path(const char *directory, enum program_paths_program program, bool installed,
		       char ret_path[PATH_MAX]);
/* Opens every program for execution but those of @left_out (bits by enum program_paths_program), of
 * which the descriptor is -1; all or none. Return: 0, or an exit code, after printing why. */
int program_paths_open(int ret_fds[PROGRAM_PATHS_N], unsigned left_out);
