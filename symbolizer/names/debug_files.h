/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debug_files - gets separate debug files from the collector, for symbols and for lines
 *
 * Shape      one entry per identity of a sampled file: idle, asked, have, or none for now. What to
 *            ask for stands in the file's symbol table: its build id, then its debug link.
 * Symbols    a file without a .symtab is asked for by itself. The symbols of its debug file lie
 *            above its own in the symbol store, once its build id, and for a link its CRC, match.
 * Lines      debug_files_request hands a descriptor over. What was read from it is not checked yet:
 *            the build id in the result of the parser must be that of the sampled file.
 * Again      DEBUG_FILES_PAUSE_MS after a vain attempt a file that is still sampled is asked for
 *            again: a debug file that was installed meanwhile is found.
 * Limits     TM_DEBUG_IN_FLIGHT requests without an answer; the others wait.
 * Trust      the descriptor is open for reading, of a regular file that belongs to root or to the
 *            owner of the sampled file. What is in it is hostile.
 * Threads    the reader's.
 */

#include <stdint.h>

#include "shared/wire.h"

#define DEBUG_FILES_PAUSE_MS 60000

struct debug_files;

enum debug_files_kind {
	DEBUG_FILES_OWN, /* the separate debug file */
	DEBUG_FILES_ALT, /* that which several debug files share (dwz) */
};

enum {
	DEBUG_FILES_E_NONE = 1,  /* it names none, none was found a short time ago, or not wanted */
	DEBUG_FILES_E_LATER = 2, /* its symbol table is not there, or too much is asked for */
};

/*
 * The answer to one debug_files_request. Takes @fd. @fd: -1: there is none, for @reason.
 */
typedef void (*debug_files_fn)(void *context, uint32_t file, enum debug_files_kind kind, int fd,
			       enum tm_no_file reason);

/* Who gets the answers; one. */
void debug_files_listen(struct debug_files *debug, debug_files_fn fn, void *context);
/*
 * @file: index in `files`. The answer comes later, once, unless the connection ends.
 * Return: 0, DEBUG_FILES_E_NONE, DEBUG_FILES_E_LATER.
 */
int debug_files_request(struct debug_files *debug, uint32_t file, enum debug_files_kind kind);
