/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_cache - tables of rows in one file, so that a restart need not have them made again
 *
 * Shape      header | entry head, rows | entry head, rows | ...; each rows is one table of
 *            shared/unwind_table.h. New ones are appended as they come. The index is read at the
 *            start, rows when they are wanted.
 * Key        the identity that the kernel announced (struct tm_identity), whole; never a path,
 *            never what the file says of itself. It is kept only if the descriptor's own size and
 *            modification time agree.
 * Pin        the numbers of devices, above all of anonymous file systems (btrfs, overlay, nfs),
 *            mean something else after a reboot, so the header holds a digest of the boot id: the
 *            cache serves restarts within one boot. With it goes the identity of the parser's
 *            program: what another version made is not believed. A file of another pin is begun
 *            anew.
 * Trust      the file is taken for hostile: heads are copied once and checked, rows count only if
 *            their digest does (over a secret of the file, identity, length and rows) and they pass
 *            tm_unwind_table_check. Anything else is forgotten and counted (`refused`). The secret
 *            keeps a file's own rows from posing as an entry where a broken walk might begin to
 *            read in them. A hostile parser can lie in the rows of the file that it was given, as
 *            without a cache, and lies on until that file changes or the host boots; of no other
 *            file. Whoever can write the cache (root, a symbolizer that was taken over) can do so
 *            for all; rows lead a step nowhere but to user memory.
 * Crash      half an entry fails its digest, or ends the walk; what is behind it is cut off.
 * Limits     TABLE_CACHE_BYTES, TABLE_CACHE_ENTRIES, TABLE_CACHE_ROWS_BYTES; when there is no room,
 *            what was not used for the most sessions goes, until a quarter of the file is free.
 * Errors     of reading or writing: the cache is left alone from then on.
 */

#include "symbolizer/unwind/table_cache_file.h"

#define TABLE_CACHE_NULL ((struct table_cache){.fd = -1})

/* What must be as it was when an entry was made. @parser: its program. Return: 0, -errno. */
int table_cache_pin(uint8_t ret_pin[SHA256_BYTES], const char *boot_id, int parser);
/* Takes @fd, a regular file open for reading and writing. Without success there is no cache. */
void table_cache_open(struct table_cache *cache, int fd, const uint8_t pin[SHA256_BYTES]);
void table_cache_close(struct table_cache *cache);
/* Return: a sealed table that checks, the caller's; -1: there is none. */
int table_cache_find(struct table_cache *cache, const struct tm_identity *identity);
/* Whether the descriptor's own size and time are those that the kernel announced. */
bool table_cache_may_keep(const struct tm_identity *identity, int fd);
/* @rows: a table that checks, of a file that may be kept and was not found. */
void table_cache_add(struct table_cache *cache, const struct tm_identity *identity,
		     const void *rows, size_t bytes);
