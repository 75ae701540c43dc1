/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * command_files - maps what COMMAND will have mapped, in the process that is to become it
 *
 * These are its executable, the interpreters of its `#!` chain, its dynamic linker and the
 * libraries that the linker says it will load. So they can be opened, and have their unwind tables,
 * before it runs.
 * Rights     the caller's, as COMMAND itself has them. The linker is this program's own; what
 *            another one would load, or a statically linked program, has its executable alone.
 * Limits     COMMAND_FILES_MAX files; further ones are met by samples, as any other file is.
 */

#include <stdint.h>

#define COMMAND_FILES_MAX     64   /* 93 messages fit into a socket that nobody reads yet */
#define COMMAND_FILES_DEPTH   5    /* of a `#!` chain: fs/exec.c, exec_binprm */
#define COMMAND_FILES_LIST_MS 1000 /* that the linker has */

/* The mappings stay. @ret_addresses: COMMAND_FILES_MAX. Return: how many there are. */
unsigned command_files_map(const char *command, uint64_t *ret_addresses);
