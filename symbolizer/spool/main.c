/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main - tidemark-spool: keeps finished reports in a folder of this host, sandboxed
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/landlock.h"
#include "shared/option.h"
#include "shared/sandbox.h"
#include "spool_filter.h"
#include "spool_uring_filter.h"
#include "symbolizer/spool/server.h"

#define ADDRESS_SPACE_BYTES (256ul << 20)
#define BOOT_ID             "/proc/sys/kernel/random/boot_id"
#define MACHINE_ID          "/etc/machine-id"
#define ID_TEXT_BYTES       64
#define FILES_UMASK         027

/* A peer that is gone, and a limit of the size of files, show as errors. */
static int ignore_signals(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	return sigaction(SIGPIPE, &ignore, NULL) < 0 || sigaction(SIGXFSZ, &ignore, NULL) < 0
		       ? -errno
		       : 0;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* 32 hexadecimal digits, with or without dashes between them. What is none leaves zeros. */
static void read_id(const char *path, uint8_t ret_id[TM_SEGMENT_ID_BYTES])
{
	_cleanup_(tm_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	uint8_t id[TM_SEGMENT_ID_BYTES] = {0};
	char text[ID_TEXT_BYTES];
	ssize_t bytes = fd < 0 ? 0 : read(fd, text, sizeof(text));
	unsigned digits = 0;

	for (ssize_t i = 0; i < bytes && digits < 2 * sizeof(id); i++) {
		int value = digit(text[i]);

		if (value < 0 && text[i] != '-')
			break;
		if (value >= 0) {
			id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | value);
			digits++;
		}
	}
	if (digits == 2 * sizeof(id))
		memcpy(ret_id, id, sizeof(id));
}

static int fail(const char *what, int r)
{
	(void)fprintf(stderr, "tidemark-spool %s: %s\n", what, strerror(-r));
	return 1;
}

/* The filter names the folder's descriptor. Return: the same under its number, -errno. */
static int move_directory(struct options *options)
{
	if (options->socket == FOLDER_FD)
		return -EINVAL;
	if (options->directory != FOLDER_FD && dup3(options->directory, FOLDER_FD, O_CLOEXEC) < 0)
		return -errno;
	if (options->directory != FOLDER_FD)
		(void)tm_close(options->directory);
	options->directory = FOLDER_FD;
	return fcntl(FOLDER_FD, F_SETFD, FD_CLOEXEC) < 0 ? -errno : 0;
}

static int enter_sandbox(const struct options *options, const struct store *store)
{
	const struct tm_landlock_allowed allowed = {.folder = &options->directory};
	int r = tm_sandbox_limits(tm_sandbox_descriptors(TM_FDPASS_DESCRIPTORS),
				  ADDRESS_SPACE_BYTES);

	if (r == 0)
		r = ignore_signals();
	if (r == 0 && !TM_SANITIZED)
		r = tm_landlock_enter(&allowed);
	if (r < 0)
		return r; /* kernels without Landlock have the account and the filter alone */
	(void)umask(FILES_UMASK);
	return tm_sandbox_filter(store->writer.has_ring ? &spool_uring_filter : &spool_filter);
}

/* Return: the exit code. */
static int serve(struct store *store, const struct options *options, DIR *entries)
{
	int r = enter_sandbox(options, store);

	if (r < 0)
		return fail("could not enter its sandbox", r);
	r = store_recover(store, entries);
	if (r < 0)
		return fail("cannot read its folder", r);
	r = server_run(store, options->socket);
	return r < 0 ? fail("ended early", r) : 0;
}

/* What is needed from outside the folder, and the folder. Return: 0, an exit code. */
static int prepare(struct options *options, struct tm_segment_header *ret_header, DIR **ret_entries)
{
	int entries, r = tm_sandbox_harden();

	if (r < 0)
		return fail("could not enter its sandbox", r);
	r = move_directory(options);
	if (r < 0)
		return fail("has no folder", r);
	r = folder_lock(options->directory);
	if (r == FOLDER_E_HELD) {
		(void)fprintf(stderr, "tidemark-spool: another one uses the folder\n");
		return 1;
	}
	entries = r < 0 ? -1 : openat(options->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*ret_entries = entries < 0 ? NULL : fdopendir(entries);
	if (!*ret_entries)
		return fail("cannot read its folder", r < 0 ? r : -errno);
	read_id(MACHINE_ID, ret_header->machine_id);
	read_id(BOOT_ID, ret_header->boot_id);
	return 0;
}

int main(int argc, char **argv)
{
	static struct store store;
	struct tm_segment_header header = {0};
	struct options options;
	DIR *entries = NULL;
	const char *bad = "";
	int code;

	(void)prctl(PR_SET_NAME, "tidemark-spool");
	if (options_parse(&options, argc, argv, &bad) < 0 ||
	    fcntl(options.socket, F_SETFD, FD_CLOEXEC) < 0) {
		(void)fprintf(stderr, "tidemark-spool is started by tidemark: %s\n", bad);
		return 2;
	}
	code = prepare(&options, &header, &entries);
	if (code == 0) {
		store_init(&store, &options, &header);
		code = serve(&store, &options, entries);
		store_deinit(&store);
	}
	if (entries)
		(void)closedir(entries);
	return code;
}
