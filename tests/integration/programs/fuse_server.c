/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuse_server - a FUSE file system of one file that claims to be another
 *
 * fuse_server FOLDER NAME TRUE_FILE CONTENT_FILE [hang]: mounts on FOLDER a file NAME that has the
 * content of CONTENT_FILE and the inode number, generation, size, times, mode and owner of
 * TRUE_FILE. A FUSE server chooses all of these; the kernel chooses only the device number.
 * With `hang`, an open is never answered; it prints "open PARENT" then, with the parent of who
 * waits for that, and "interrupt PARENT" once he got a signal. Ends when it is unmounted. The
 * protocol is that of linux/fuse.h.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/fuse.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (1u << 20)
#define HANGS        64 /* of so many the parents are known */
#define FILE_NODE    2  /* a node id of FUSE, which differs from the inode number shown */

struct fuse_server {
	int device;
	int content;
	int hang;
	const char *name;
	struct stat claimed;
	int generation;
};

static void answer(const struct fuse_server *server, const struct fuse_in_header *in, int error,
		   const void *payload, size_t bytes)
{
	static char buffer[BUFFER_BYTES];
	struct fuse_out_header *out = (void *)buffer;

	if (bytes > sizeof(buffer) - sizeof(*out))
		return;
	out->len = (uint32_t)(sizeof(*out) + bytes);
	out->error = error;
	out->unique = in->unique;
	if (bytes)
		memcpy(buffer + sizeof(*out), payload, bytes);
	(void)!write(server->device, buffer, out->len);
}

static void attributes(const struct fuse_server *server, uint64_t node, struct fuse_attr *attr)
{
	const struct stat *st = &server->claimed;

	*attr = (struct fuse_attr){.ino = 1, .mode = S_IFDIR | 0755, .nlink = 2};
	if (node != FILE_NODE)
		return;
	attr->ino = st->st_ino;
	attr->size = (uint64_t)st->st_size;
	attr->blocks = (uint64_t)st->st_blocks;
	attr->atime = (uint64_t)st->st_atim.tv_sec;
	attr->mtime = (uint64_t)st->st_mtim.tv_sec;
	attr->ctime = (uint64_t)st->st_ctim.tv_sec;
	attr->atimensec = (uint32_t)st->st_atim.tv_nsec;
	attr->mtimensec = (uint32_t)st->st_mtim.tv_nsec;
	attr->ctimensec = (uint32_t)st->st_ctim.tv_nsec;
	attr->mode = st->st_mode;
	attr->nlink = (uint32_t)st->st_nlink;
	attr->uid = st->st_uid;
	attr->gid = st->st_gid;
	attr->rdev = (uint32_t)st->st_rdev;
	attr->blksize = (uint32_t)st->st_blksize;
}

static void on_init(const struct fuse_server *server, const struct fuse_in_header *in)
{
	const struct fuse_init_in *asked = (const void *)(in + 1);
	struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
				    .minor = FUSE_KERNEL_MINOR_VERSION,
				    .max_readahead = asked->max_readahead,
				    .max_write = 4096};

	if (asked->minor < out.minor)
		out.minor = asked->minor;
	answer(server, in, 0, &out, sizeof(out));
}

static void on_lookup(const struct fuse_server *server, const struct fuse_in_header *in)
{
	struct fuse_entry_out out = {.nodeid = FILE_NODE, .entry_valid = 3600, .attr_valid = 3600};

	if (strcmp((const char *)(in + 1), server->name) != 0) {
		answer(server, in, -ENOENT, NULL, 0);
		return;
	}
	out.generation = (uint32_t)server->generation;
	attributes(server, FILE_NODE, &out.attr);
	answer(server, in, 0, &out, sizeof(out));
}

/* Return: the inode's generation; 0: its file system does not report it. */
static int generation_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), generation = 0;

	if (fd < 0 || ioctl(fd, FS_IOC_GETVERSION, &generation) < 0)
		generation = 0;
	if (fd >= 0)
		(void)close(fd);
	return generation;
}

static void on_getattr(const struct fuse_server *server, const struct fuse_in_header *in)
{
	struct fuse_attr_out out = {.attr_valid = 3600};

	attributes(server, in->nodeid, &out.attr);
	answer(server, in, 0, &out, sizeof(out));
}

static void on_read(const struct fuse_server *server, const struct fuse_in_header *in)
{
	const struct fuse_read_in *asked = (const void *)(in + 1);
	size_t bytes = asked->size < BUFFER_BYTES / 2 ? asked->size : BUFFER_BYTES / 2;
	char *data;
	ssize_t n;

	data = malloc(bytes);
	n = data ? pread(server->content, data, bytes, (off_t)asked->offset) : -1;
	answer(server, in, n < 0 ? -EIO : 0, data, n < 0 ? 0 : (size_t)n);
	free(data);
}

static int parent_of(uint32_t pid)
{
	char path[32];
	FILE *stat;
	int parent;

	(void)snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	stat = fopen(path, "re");
	if (!stat || fscanf(stat, "%*d (%*[^)]) %*c %d", &parent) != 1)
		parent = 0;
	if (stat)
		(void)fclose(stat);
	return parent;
}

/* @unique: of the open; numbers of requests are even. */
static void note_hang(const char *what, uint64_t unique, int parent)
{
	static int parents[HANGS];
	int *place = &parents[unique / 2 % HANGS];

	if (parent)
		*place = parent;
	(void)dprintf(STDOUT_FILENO, "%s %d\n", what, *place);
}

static void serve(const struct fuse_server *server, const struct fuse_in_header *in)
{
	static const struct fuse_open_out opened;

	switch (in->opcode) {
	case FUSE_INIT:
		on_init(server, in);
		break;
	case FUSE_LOOKUP:
		on_lookup(server, in);
		break;
	case FUSE_GETATTR:
		on_getattr(server, in);
		break;
	case FUSE_OPEN:
		if (server->hang)
			note_hang("open", in->unique, parent_of(in->pid));
		else
			answer(server, in, 0, &opened, sizeof(opened));
		break;
	case FUSE_OPENDIR:
		answer(server, in, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		on_read(server, in);
		break;
	case FUSE_INTERRUPT:
		if (server->hang)
			note_hang("interrupt", *(const uint64_t *)(in + 1), 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
		break;
	case FUSE_ACCESS:
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
		answer(server, in, 0, NULL, 0);
		break;
	default:
		answer(server, in, -ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static char request[BUFFER_BYTES] __attribute__((aligned(8)));
	struct fuse_server server = {.device = open("/dev/fuse", O_RDWR | O_CLOEXEC)};
	char options[128];
	ssize_t n;

	if (argc < 5)
		return 2;
	server.name = argv[2];
	server.content = open(argv[4], O_RDONLY | O_CLOEXEC);
	server.hang = argc > 5;
	if (server.device < 0 || server.content < 0 || stat(argv[3], &server.claimed) < 0)
		return 1;
	server.generation = generation_of(argv[3]);
	(void)snprintf(options, sizeof(options),
		       "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", server.device);
	if (mount("tidemark", argv[1], "fuse.tidemark", MS_NOSUID | MS_NODEV, options) < 0)
		return 1;
	for (;;) {
		n = read(server.device, request, sizeof(request));
		if (n < 0 && errno != EINTR && errno != EAGAIN && errno != ENOENT)
			return errno == ENODEV ? 0 : 1;
		if (n >= (ssize_t)sizeof(struct fuse_in_header))
			serve(&server, (const void *)request);
	}
}
