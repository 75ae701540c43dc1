/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder - the segments in the folder of the spool: finds, makes, opens and removes them
 */

#include "symbolizer/spool/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/segment.h"

#define NS_PER_S 1000000000ll
#define MODE     0640 /* who may look at the history is a matter of the group */

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now = {0};

	(void)clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t folder_now_ns(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

int folder_lock(int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return errno == EWOULDBLOCK ? FOLDER_E_HELD : -errno;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Return: 0, -EPERM, -errno. */
static int check(int fd, struct stat *ret_status)
{
	if (fstat(fd, ret_status) < 0)
		return -errno;
	return S_ISREG(ret_status->st_mode) && ret_status->st_nlink == 1 &&
			       ret_status->st_uid == geteuid()
		       ? 0
		       : -EPERM;
}

/* What turns out to be a pipe or a device is not waited for. */
static int open_checked(int folder, uint64_t first_sequence, bool write, struct stat *ret_status)
{
	const int flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	char name[TM_SEGMENT_NAME_BYTES];
	_cleanup_(tm_closep) int fd = -1;
	int r;

	tm_segment_name(first_sequence, name);
	fd = openat(folder, name, flags | (write ? O_RDWR : O_RDONLY));
	if (fd < 0)
		return -errno;
	r = check(fd, ret_status);
	return r < 0 ? r : TM_TAKE_FD(fd);
}

int folder_open(const struct folder *folder, uint64_t first_sequence, bool write)
{
	struct stat status;

	return open_checked(folder->fd, first_sequence, write, &status);
}

/* --- the list --------------------------------------------------------------------------------- */

struct folder_segment *folder_find(struct folder *folder, uint64_t first_sequence)
{
	for (unsigned i = folder->count; i > 0; i--)
		if (folder->segments[i - 1].first_sequence == first_sequence)
			return &folder->segments[i - 1];
	return NULL;
}

struct folder_segment *folder_first_to_go(struct folder *folder)
{
	uint64_t bytes[TM_SEGMENT_SHARES] = {0};
	struct folder_segment *first[TM_SEGMENT_SHARES] = {NULL};
	unsigned most = 0;

	for (unsigned i = 0; i < folder->count; i++) {
		struct folder_segment *segment = &folder->segments[i];

		bytes[segment->share] += segment->bytes;
		if (!first[segment->share])
			first[segment->share] = segment;
	}
	for (unsigned share = 1; share < TM_SEGMENT_SHARES; share++)
		if (bytes[share] > bytes[most])
			most = share;
	return first[most] ? first[most] : &folder->segments[0];
}

void folder_remove(struct folder *folder, struct folder_segment *segment)
{
	const size_t behind = folder->count - 1 - (size_t)(segment - folder->segments);
	char name[TM_SEGMENT_NAME_BYTES];

	tm_segment_name(segment->first_sequence, name);
	folder->bytes -= segment->bytes;
	folder->count--;
	memmove(segment, segment + 1, behind * sizeof(*segment));
	(void)unlinkat(folder->fd, name, 0);
}

/* Keeps the list in order. Where it is full, the oldest goes. */
static void insert(struct folder *folder, const struct folder_segment *segment)
{
	unsigned at;

	if (folder->count == FOLDER_SEGMENTS_MAX)
		folder_remove(folder, &folder->segments[0]);
	for (at = folder->count; at > 0; at--) {
		if (folder->segments[at - 1].first_sequence < segment->first_sequence)
			break;
		folder->segments[at] = folder->segments[at - 1];
	}
	folder->segments[at] = *segment;
	folder->count++;
	folder->bytes += segment->bytes;
}

/* What is none of ours stays where it is, and is not counted. */
static void add(struct folder *folder, uint64_t first_sequence)
{
	struct stat status;
	int fd = open_checked(folder->fd, first_sequence, false, &status);
	int64_t age_ns;

	if (fd < 0)
		return;
	(void)tm_close(fd);
	age_ns = clock_ns(CLOCK_REALTIME) -
		 (status.st_mtim.tv_sec * NS_PER_S + status.st_mtim.tv_nsec);
	age_ns = age_ns > 0 ? age_ns : 0;
	insert(folder, &(struct folder_segment){
			       .first_sequence = first_sequence,
			       .bytes = (uint64_t)status.st_size,
			       .begun_ns = folder_now_ns() - age_ns,
			       .ended_ns = folder_now_ns() - age_ns,
		       });
}

int folder_list(struct folder *folder, int fd, DIR *entries)
{
	const struct dirent *entry;
	uint64_t first_sequence;

	folder->fd = fd;
	folder->count = 0;
	folder->bytes = 0;
	for (;;) {
		errno = 0;
		entry = readdir(entries);
		if (!entry)
			return -errno;
		if (tm_segment_parse_name(entry->d_name, &first_sequence))
			add(folder, first_sequence);
	}
}

int folder_make(struct folder *folder, uint64_t first_sequence, unsigned share)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	char name[TM_SEGMENT_NAME_BYTES];
	int fd;

	tm_segment_name(first_sequence, name);
	fd = openat(folder->fd, name, flags, MODE);
	if (fd < 0)
		return -errno;
	folder->segments[folder->count++] = (struct folder_segment){
		.first_sequence = first_sequence,
		.share = share,
		.begun_ns = folder_now_ns(),
		.ended_ns = folder_now_ns(),
	};
	return fd;
}

void folder_grow(struct folder *folder, struct folder_segment *segment, uint64_t bytes)
{
	segment->bytes += bytes;
	segment->ended_ns = folder_now_ns();
	folder->bytes += bytes;
}
