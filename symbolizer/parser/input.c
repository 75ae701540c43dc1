/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input - the bytes to be parsed: a handed-over file, or our own vDSO
 */

#include "symbolizer/parser/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "symbolizer/parser/parser.h"

#define INPUT_VDSO_MAX (64u << 10)
#define INPUT_WANTED   (STATX_TYPE | STATX_SIZE | STATX_MTIME | STATX_CTIME | STATX_INO)

static int read_file(void *context, void *to, uint64_t offset, size_t bytes)
{
	const struct input *target = context;
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = pread(target->fd, (uint8_t *)to + done, bytes - done,
				  (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	return 0;
}

static int read_vdso(void *context, void *to, uint64_t offset, size_t bytes)
{
	const struct input *target = context;

	memcpy(to, target->vdso + offset, bytes);
	return 0;
}

static int look(int fd, struct statx *status)
{
	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, INPUT_WANTED, status);
}

int input_open_file(struct input *target, int fd, struct image_source *source)
{
	*target = (struct input){.fd = fd};
	if (look(fd, &target->before) < 0 || !S_ISREG(target->before.stx_mode))
		return PARSER_FAILED;
	*source = (struct image_source){read_file, target, target->before.stx_size};
	return 0;
}

int input_open_vdso(struct input *target, struct image_source *source)
{
	const Elf64_Ehdr *header;
	uint64_t end;

	*target = (struct input){.fd = -1};
	header = (const void *)getauxval(AT_SYSINFO_EHDR); // NOLINT(performance-no-int-to-ptr)
	if (!header)
		return PARSER_FAILED;
	/* The kernel's own image: its section headers stand last. */
	end = header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr);
	if (end > INPUT_VDSO_MAX)
		return PARSER_TOO_LARGE;
	target->vdso = (const uint8_t *)header;
	*source = (struct image_source){read_vdso, target, end};
	return 0;
}

int input_is_unchanged(const struct input *target)
{
	const struct statx *a = &target->before;
	struct statx b;

	if (target->fd < 0)
		return 1;
	return look(target->fd, &b) == 0 && a->stx_ino == b.stx_ino && a->stx_size == b.stx_size &&
	       a->stx_mtime.tv_sec == b.stx_mtime.tv_sec &&
	       a->stx_mtime.tv_nsec == b.stx_mtime.tv_nsec &&
	       a->stx_ctime.tv_sec == b.stx_ctime.tv_sec &&
	       a->stx_ctime.tv_nsec == b.stx_ctime.tv_nsec;
}
