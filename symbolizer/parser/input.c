/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input - the bytes to parse: those of a received descriptor, or of our own vDSO
 */

#include "symbolizer/parser/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "shared/file_read.h"
#include "symbolizer/parser/parser.h"

#define INPUT_VDSO_MAX (64u << 10)
#define INPUT_WANTED   (STATX_TYPE | STATX_SIZE | STATX_MTIME | STATX_CTIME | STATX_INO)

static int read_file(void *context, void *to, uint64_t offset, size_t bytes)
{
	struct input *input = context;
	int r = tm_file_read(input->fd, to, bytes, offset);

	if (r < 0)
		input->unreadable = true;
	return r;
}

static int read_vdso(void *context, void *to, uint64_t offset, size_t bytes)
{
	const struct input *input = context;

	memcpy(to, input->vdso + offset, bytes);
	return 0;
}

static int read_status(int fd, struct statx *status)
{
	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, INPUT_WANTED, status);
}

int input_open_file(struct input *input, int fd, struct image_source *source)
{
	*input = (struct input){.fd = fd};
	input->unreadable = read_status(fd, &input->before) < 0 || !S_ISREG(input->before.stx_mode);
	if (input->unreadable)
		return PARSER_FAILED;
	*source = (struct image_source){read_file, input, input->before.stx_size};
	return 0;
}

int input_open_vdso(struct input *input, struct image_source *source)
{
	const Elf64_Ehdr *header;
	uint64_t end;

	*input = (struct input){.fd = -1};
	header = (const void *)getauxval(AT_SYSINFO_EHDR); // NOLINT(performance-no-int-to-ptr)
	if (!header)
		return PARSER_FAILED;
	/* The kernel's image is trusted, and ends with its section headers. */
	end = header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr);
	if (end > INPUT_VDSO_MAX)
		return PARSER_TOO_LARGE;
	input->vdso = (const uint8_t *)header;
	*source = (struct image_source){read_vdso, input, end};
	return 0;
}

bool input_is_unchanged(const struct input *input)
{
	const struct statx *a = &input->before;
	struct statx b;

	if (input->fd < 0)
		return true;
	return read_status(input->fd, &b) == 0 && a->stx_ino == b.stx_ino &&
	       a->stx_size == b.stx_size && a->stx_mtime.tv_sec == b.stx_mtime.tv_sec &&
	       a->stx_mtime.tv_nsec == b.stx_mtime.tv_nsec &&
	       a->stx_ctime.tv_sec == b.stx_ctime.tv_sec &&
	       a->stx_ctime.tv_nsec == b.stx_ctime.tv_nsec;
}
