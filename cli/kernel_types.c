/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_types - which tracepoints this kernel has, by its type information (BTF) */

#include "cli/kernel_types.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"
#include "shared/file_read.h"

#define NAME_BYTES 128

/* Return: 0, -errno; -EPROTO: the file ends before. */
static int read_at(int fd, void *ret_bytes, size_t bytes, uint64_t offset)
{
	int r = tm_file_read(fd, ret_bytes, bytes, offset);

	return r == -EIO ? -EPROTO : r;
}

/* Whether @names, each with a NUL before and behind it, contain @name. */
static bool contains(const char *names, size_t bytes, const char *name)
{
	char framed[NAME_BYTES + 2] = "";
	size_t length = strlen(name);

	memcpy(framed + 1, name, length);
	return memmem(names, bytes, framed, length + 2) != NULL;
}

int kernel_types_find_tracepoint(const char *path, const char *tracepoint)
{
	_cleanup_(tm_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(tm_freep) char *names = NULL;
	char name[NAME_BYTES];
	struct btf_header header;
	int r;

	if (fd < 0)
		return -errno;
	if (snprintf(name, sizeof(name), "btf_trace_%s", tracepoint) >= (int)sizeof(name))
		return KERNEL_TYPES_E_NONE;
	r = read_at(fd, &header, sizeof(header), 0);
	if (r < 0)
		return r;
	if (header.magic != BTF_MAGIC || header.str_len > KERNEL_TYPES_MAX_BYTES)
		return -EPROTO;
	names = malloc(header.str_len + 1u);
	if (!names)
		return -ENOMEM;
	r = read_at(fd, names, header.str_len, (uint64_t)header.hdr_len + header.str_off);
	if (r < 0)
		return r;
	return contains(names, header.str_len, name) ? 0 : KERNEL_TYPES_E_NONE;
}
