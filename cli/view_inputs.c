/* SPDX-License-Identifier: Apache-2.0 */
/* view_inputs - opens what is viewed: the segments of a spool, or files that the user names */

#include "cli/view_inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"
#include "shared/segment.h"

#define NS_PER_S     1000000000ll
#define SEGMENTS_MAX 2048u /* of a spool, and of each side in the viewer's arguments */

static int cannot(const char *path, int error)
{
	terminal_print("%s: cannot be read: %s", path, strerror(error));
	return EXIT_CODE_FAILED;
}

static int out_of_memory(void)
{
	terminal_print("out of memory");
	return EXIT_CODE_FAILED;
}

/* Takes the descriptor over. */
static int add(struct view_inputs *inputs, int fd, const char *name, unsigned side, bool is_segment)
{
	struct view_input *item;

	if (inputs->count == inputs->capacity) {
		size_t capacity = inputs->capacity ? 2 * inputs->capacity : 16;
		void *grown = reallocarray(inputs->items, capacity, sizeof(*inputs->items));

		if (!grown) {
			(void)tm_close(fd);
			return out_of_memory();
		}
		inputs->items = grown;
		inputs->capacity = capacity;
	}
	item = &inputs->items[inputs->count++];
	*item = (struct view_input){fd, strdup(name), side, is_segment};
	return item->name ? 0 : out_of_memory();
}

/* A FIFO would wait for a writer. Return: descriptor, -errno. */
static int open_regular(int folder, const char *name, int flags)
{
	_cleanup_(tm_closep) int fd =
		openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
	return TM_TAKE_FD(fd);
}

static int add_files(struct view_inputs *inputs, const struct view_options_side *of, unsigned side)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < of->file_count; i++) {
		const char *name = of->files[i];
		uint64_t sequence;
		const char *slash = strrchr(name, '/');
		int fd = open_regular(AT_FDCWD, name, 0);

		if (fd < 0)
			return cannot(name, -fd);
		r = add(inputs, fd, name, side,
			tm_segment_parse_name(slash ? slash + 1 : name, &sequence));
	}
	return r;
}

/* --- the spool -------------------------------------------------------------------------------- */

struct segment {
	uint64_t sequence; /* its first */
	int64_t written_ns;
};

struct segments {
	struct segment items[SEGMENTS_MAX];
	size_t count;
	int64_t written_ns; /* the last one */
};

static int compare_sequences(const void *a, const void *b)
{
	const uint64_t left = ((const struct segment *)a)->sequence;
	const uint64_t right = ((const struct segment *)b)->sequence;

	return (left > right) - (left < right);
}

static int64_t written_ns(int folder, const char *name)
{
	struct stat status;

	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	return status.st_mtim.tv_sec * NS_PER_S + status.st_mtim.tv_nsec;
}

/* Lists the segments, oldest first; the latest of too many. */
static void list_segments(DIR *folder, struct segments *segments)
{
	const struct dirent *entry;
	struct segment segment;

	while ((entry = readdir(folder))) {
		if (!tm_segment_parse_name(entry->d_name, &segment.sequence))
			continue;
		if (segments->count == SEGMENTS_MAX) {
			terminal_print("the spool has more than %u segments: some are left out",
				       SEGMENTS_MAX);
			break;
		}
		segment.written_ns = written_ns(dirfd(folder), entry->d_name);
		if (segment.written_ns > segments->written_ns)
			segments->written_ns = segment.written_ns;
		segments->items[segments->count++] = segment;
	}
	qsort(segments->items, segments->count, sizeof(segments->items[0]), compare_sequences);
}

/* One that is gone meanwhile was the oldest and made room. */
static int add_segments(struct view_inputs *inputs, int folder, const struct segments *segments,
			uint64_t recent_ns, unsigned side)
{
	const int64_t from_ns = recent_ns ? segments->written_ns - (int64_t)recent_ns : INT64_MIN;
	int r = 0;

	for (size_t i = 0; r == 0 && i < segments->count; i++) {
		const struct segment *segment = &segments->items[i];
		char name[TM_SEGMENT_NAME_BYTES];
		int fd;

		/* The last is read even if a clock was put back. */
		if (segment->written_ns < from_ns && i + 1 < segments->count)
			continue;
		tm_segment_name(segment->sequence, name);
		fd = open_regular(folder, name, O_NOFOLLOW);
		if (fd == -ENOENT)
			continue;
		if (fd < 0)
			terminal_print("%s: cannot be read: %s", name, strerror(-fd));
		else
			r = add(inputs, fd, name, side, /* is_segment= */ true);
	}
	return r;
}

static void close_folder(DIR **folder)
{
	if (*folder)
		(void)closedir(*folder);
}

static int no_spool(const char *path, int error)
{
	if (error == ENOENT)
		terminal_print("%s: there is no spool: tidemark's services write one, or name "
			       "another with --spool",
			       path);
	else if (error == EACCES)
		terminal_print("%s: cannot be read: %s; root and the group of the folder may", path,
			       strerror(error));
	else
		return cannot(path, error);
	return EXIT_CODE_FAILED;
}

static int add_spool(struct view_inputs *inputs, const char *path, uint64_t recent_ns,
		     unsigned side)
{
	static struct segments segments; /* large */
	_cleanup_(close_folder) DIR *folder = NULL;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return no_spool(path, errno);
	folder = fdopendir(fd);
	if (!folder) {
		(void)tm_close(fd);
		return no_spool(path, errno);
	}
	segments.count = 0;
	segments.written_ns = 0;
	list_segments(folder, &segments);
	if (segments.count == 0) {
		terminal_print("%s: the spool is empty", path);
		return EXIT_CODE_FAILED;
	}
	return add_segments(inputs, fd, &segments, recent_ns, side);
}

int view_inputs_open(struct view_inputs *inputs, const struct view_options *options)
{
	int r = 0;

	for (unsigned side = 0; r == 0 && side < (options->compare ? VIEW_OPTIONS_SIDES : 1u);
	     side++) {
		const struct view_options_side *of = &options->sides[side];

		r = of->is_window ? add_spool(inputs, options->spool, options->recent_ns, side)
				  : add_files(inputs, of, side);
	}
	return r;
}

void view_inputs_close(struct view_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		inputs->items[i].fd = tm_close(inputs->items[i].fd);
		free(inputs->items[i].name);
	}
	free(inputs->items);
	*inputs = (struct view_inputs){0};
}
