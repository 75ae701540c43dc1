/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print_lines - prints functions, inlined calls and lines at addresses, in the form of addr2line
 *
 * usage: print_lines FILE [DEBUG-FILE [ALTERNATE-FILE]] <ADDRESSES    (hexadecimal, one a line)
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "shared/cleanup.h"
#include "symbolizer/parser/dwarf/lines.h"
#include "symbolizer/parser/input.h"
#include "symbolizer/parser/parser.h"

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* Return: the distinct numbers, ascending, of stdin. */
static uint64_t *read_addresses(uint32_t *ret_count)
{
	uint64_t *list = calloc(PARSER_OFFSETS_MAX, sizeof(*list));
	uint32_t count = 0, distinct = 0;

	if (!list)
		return NULL;
	while (count < PARSER_OFFSETS_MAX && scanf("%" SCNx64, &list[count]) == 1)
		count++;
	qsort(list, count, sizeof(*list), compare);
	for (uint32_t i = 0; i < count; i++)
		if (!i || list[i] != list[i - 1])
			list[distinct++] = list[i];
	*ret_count = distinct;
	return list;
}

static const char *name_at(const char *names, uint32_t name)
{
	return name == PARSER_NO_NAME ? "??" : names + name;
}

static void print(const struct parser_line_table *table, const uint64_t *vaddrs)
{
	const struct parser_place *places = (const void *)(table + 1);
	const struct parser_call *calls = (const void *)(places + table->place_count);
	const char *names = (const void *)(calls + table->call_count);

	for (uint32_t i = 0; i < table->place_count; i++) {
		const struct parser_place *place = &places[i];

		(void)printf("0x%016" PRIx64 "\n", vaddrs[i]);
		for (uint32_t j = 0; j < place->call_count; j++) {
			const struct parser_call *call = &calls[place->first_call + j];

			(void)printf("%s\n%s:%u\n", name_at(names, call->function),
				     name_at(names, call->file), call->line);
		}
		if (!place->call_count)
			(void)printf("??\n??:0\n");
	}
}

static int open_input(const char *path, struct input *input, struct image_source *source)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || input_open_file(input, fd, source)) {
		perror(path);
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	_cleanup_(tm_freep) uint64_t *vaddrs = NULL;
	struct image_source files[3];
	struct input inputs[3];
	struct debug_sources sources = {.file = &files[0]};
	struct result_blob result;
	uint32_t count = 0;
	int r;

	if (argc < 2 || argc > 4)
		return 2;
	for (int i = 1; i < argc; i++)
		if (open_input(argv[i], &inputs[i - 1], &files[i - 1]) < 0)
			return 2;
	sources.debug = argc > 2 ? &files[1] : NULL;
	sources.alternate = argc > 3 ? &files[2] : NULL;
	vaddrs = read_addresses(&count);
	if (!vaddrs)
		return 1;
	r = lines_find(&result, &sources, vaddrs, count);
	if (r) {
		(void)fprintf(stderr, "%s: parser status %d\n", argv[1], r);
		return 1;
	}
	(void)fprintf(stderr, "flags %u\n", ((struct parser_line_table *)result.data)->flags);
	print(result.data, vaddrs);
	result_blob_free(&result);
	return 0;
}
