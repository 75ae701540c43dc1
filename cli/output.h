/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * output - one file that a report is written into: complete under its name, or not there at all
 *
 * Shape      a nameless file in the folder of the target (O_TMPFILE), linked at the end and renamed
 *            over the target; where the file system has no such files, one with a hidden name. A
 *            device or pipe is opened and written directly.
 * Owns       both descriptors until output_discard. The path stays the caller's.
 * Mode       what the caller says, whatever its umask; 0: by the umask.
 * Pipes      one of somebody else in a folder where everybody may create names is refused.
 * Links      a symbolic link at the target's place is replaced, never followed, unless it leads to
 *            a device or pipe.
 */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum output_kind {
	OUTPUT_NAMELESS, /* O_TMPFILE: gone by itself if this process dies */
	OUTPUT_HIDDEN,   /* has `temporary` as its name */
	OUTPUT_STRAIGHT, /* device or pipe */
};

struct output {
	const char *path;
	int folder; /* O_PATH descriptor */
	int fd;     /* open for writing */
	enum output_kind kind;
	char base[NAME_MAX + 1];
	char temporary[32];
};
#define OUTPUT_NULL ((struct output){NULL, -1, -1, OUTPUT_STRAIGHT, "", ""})

/*
 * @folder: descriptor of the folder in which @path was before, whatever it leads to by now; -1: by
 * its path. Return: 0, -errno (-EISDIR: a folder; -ENXIO: a pipe that nobody reads).
 */
int output_open(struct output *ret_output, const char *path, int folder, unsigned mode);
/* Whether both are the same name in the same folder. */
bool output_is_same(const struct output *a, const struct output *b);
/* Another name in the same folder, before the commit. Return: 0, -ENAMETOOLONG. */
int output_rename(struct output *output, const char *path);
/* Puts the written file in its place. Return: 0, -errno; output_discard follows either way. */
int output_commit(struct output *output);
/* Total; what was not committed is gone. */
void output_discard(struct output *output);
