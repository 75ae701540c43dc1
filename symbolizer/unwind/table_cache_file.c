/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_cache_file - the layout of the cache's file, its digests, and whole reads and writes
 */

#include "symbolizer/unwind/table_cache_file.h"

#include <errno.h>
#include <unistd.h>

#include "shared/file_read.h"

#define COPY_BYTES (64u << 10)

int table_cache_file_read(int fd, void *ret_bytes, size_t count, uint64_t at)
{
	return tm_file_read(fd, ret_bytes, count, at);
}

int table_cache_file_write(int fd, const void *bytes, size_t count, uint64_t at)
{
	const char *from = bytes;

	while (count) {
		ssize_t n = pwrite(fd, from, count, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		from += n;
		at += (uint64_t)n;
		count -= (size_t)n;
	}
	return 0;
}

int table_cache_file_move(int fd, uint64_t from, uint64_t to, uint64_t count)
{
	static char part[COPY_BYTES];

	/* Front to back, so that nothing is overwritten before it is read. */
	while (count) {
		size_t bytes = count < sizeof(part) ? (size_t)count : sizeof(part);
		int r = table_cache_file_read(fd, part, bytes, from);

		if (r == 0)
			r = table_cache_file_write(fd, part, bytes, to);
		if (r < 0)
			return r;
		from += bytes;
		to += bytes;
		count -= bytes;
	}
	return 0;
}

void table_cache_file_digest(const struct table_cache_header *header,
			     const struct table_cache_head *head, const void *table,
			     uint8_t ret_digest[TM_SHA256_BYTES])
{
	struct tm_sha256 digest;

	tm_sha256_init(&digest);
	tm_sha256_add(&digest, header, sizeof(*header));
	tm_sha256_add(&digest, &head->bytes, sizeof(head->bytes));
	tm_sha256_add(&digest, &head->key, sizeof(head->key));
	tm_sha256_add(&digest, table, head->bytes);
	tm_sha256_end(&digest, ret_digest);
}
