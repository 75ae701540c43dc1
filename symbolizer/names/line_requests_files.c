/* SPDX-License-Identifier: Apache-2.0 */
/* line_requests_files - of which files lines are missed, at which addresses, and how much */

#include "symbolizer/names/line_requests_files.h"

#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"
#include "shared/clock.h"

void line_requests_files_deinit(struct line_requests_files *files)
{
	for (uint32_t i = 0; i < files->count; i++) {
		free(files->items[i].wanted);
		free(files->items[i].asked);
		files->items[i].result = tm_close(files->items[i].result);
	}
	free(files->items);
	*files = (struct line_requests_files){0};
}

struct line_requests_file *line_requests_files_find(const struct line_requests_files *files,
						    const struct tm_identity *identity)
{
	for (uint32_t i = 0; i < files->count; i++)
		if (memcmp(&files->items[i].identity, identity, sizeof(*identity)) == 0)
			return &files->items[i];
	return NULL;
}

void line_requests_files_drop_asked(struct line_requests_files *files,
				    struct line_requests_file *file)
{
	files->places -= file->asked_count;
	free(file->asked);
	file->asked = NULL;
	file->asked_count = 0;
}

static void drop_wanted(struct line_requests_files *files, struct line_requests_file *file)
{
	files->places -= file->wanted_count;
	free(file->wanted);
	file->wanted = NULL;
	file->wanted_count = 0;
}

/* Of the idle ones. Return: NULL: none has less than @misses. */
static struct line_requests_file *least_missed(struct line_requests_files *files, uint64_t misses)
{
	struct line_requests_file *least = NULL;

	for (uint32_t i = 0; i < files->count; i++) {
		struct line_requests_file *file = &files->items[i];

		if (file->state == LINE_REQUESTS_IDLE && file->misses < misses) {
			least = file;
			misses = file->misses;
		}
	}
	return least;
}

/* An entry that nobody needs any more, a new one, or that of a file which is missed less.
 * Return: NULL: there is none. */
static struct line_requests_file *new_file(struct line_requests_files *files, uint64_t misses)
{
	const int64_t now_ms = (int64_t)tm_clock_ms();
	struct line_requests_file *least;

	if (!files->items)
		files->items = calloc(LINE_REQUESTS_FILES, sizeof(*files->items));
	if (!files->items)
		return NULL;
	for (uint32_t i = 0; i < files->count; i++) {
		struct line_requests_file *file = &files->items[i];

		if (file->state == LINE_REQUESTS_IDLE && !file->wanted && file->next_ms <= now_ms)
			return file;
	}
	if (files->count < LINE_REQUESTS_FILES)
		return &files->items[files->count++];
	least = least_missed(files, misses);
	if (least)
		drop_wanted(files, least);
	return least;
}

bool line_requests_file_is_worth_it(const struct line_requests_file *file)
{
	return file->wanted && file->misses / LINE_REQUESTS_MISSES_PER_MS >= file->cpu_ms;
}

/* Adds @vaddrs to those of @file. Return: 0, LINE_REQUESTS_E_FULL. */
static int merge(struct line_requests_files *files, struct line_requests_file *file,
		 const uint64_t *vaddrs, uint32_t count)
{
	uint64_t *all;
	uint32_t a = 0, b = 0, used = 0;

	if (files->places + count > LINE_REQUESTS_PLACES)
		return LINE_REQUESTS_E_FULL;
	all = malloc((file->wanted_count + (size_t)count) * sizeof(*all));
	if (!all)
		return LINE_REQUESTS_E_FULL;
	while (a < file->wanted_count || b < count) {
		uint64_t left = a < file->wanted_count ? file->wanted[a] : UINT64_MAX;
		uint64_t right = b < count ? vaddrs[b] : UINT64_MAX;

		all[used++] = left < right ? left : right;
		a += a < file->wanted_count && left <= right;
		b += b < count && right <= left;
	}
	files->places += used - file->wanted_count;
	free(file->wanted);
	file->wanted = all;
	file->wanted_count = used;
	return 0;
}

int line_requests_files_want(struct line_requests_files *files, const struct tm_identity *identity,
			     const struct line_requests_build_id *build_id, const uint64_t *vaddrs,
			     uint32_t count, uint64_t misses)
{
	struct line_requests_file *file = line_requests_files_find(files, identity);

	if (!file) {
		file = new_file(files, misses);
		if (!file)
			return LINE_REQUESTS_E_FULL;
		*file = (struct line_requests_file){
			.identity = *identity,
			.result = -1,
			.next_ms = (int64_t)tm_clock_ms(),
			.cpu_ms = LINE_REQUESTS_FIRST_MS,
			.reason = TM_NO_LINE_PENDING,
		};
	}
	file->build_id = *build_id;
	file->misses += misses;
	return merge(files, file, vaddrs, count);
}
