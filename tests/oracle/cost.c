/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cost - measures size, time and memory of unwind tables, each file in its own process
 *
 * usage: cost [--each] PATH...   files, or folders with everything below them
 *
 * Prints one line for each file (without --each only for the LARGEST files) and the sum. Fails only
 * if an ELF file cannot be compiled.
 */

#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "tests/oracle/compiled.h"

#define LARGEST      16 /* files with most rows */
#define PATH_SHOWN   256
#define FOLDERS_OPEN 40

struct figures { /* of one file; written by the process that compiles it */
	char path[PATH_SHOWN];
	int status;
	uint64_t file_bytes, table_bytes, rows, pages, rules, frames, refused, cut;
	uint64_t cpu_ns;
	uint64_t peak_bytes;
};

static struct figures *figures; /* shared with that process */
static struct figures largest[LARGEST];
static struct figures sum;
static uint64_t files, failed;
static bool each;

static void show(const struct figures *file)
{
	(void)printf("%8.2f MB  %8" PRIu64 " rows  %5.2f bytes/row  %5" PRIu64 " rules  %7" PRIu64
		     " functions (%" PRIu64 " refused)  %7.1f ms  %6.1f MB peak  %s%s\n",
		     (double)file->file_bytes / 1e6, file->rows,
		     file->rows ? (double)file->table_bytes / (double)file->rows : 0.0, file->rules,
		     file->frames, file->refused, (double)file->cpu_ns / 1e6,
		     (double)file->peak_bytes / 1e6, file->cut ? "CUT " : "", file->path);
}

/* Runs in a process of its own. */
static _Noreturn void compile(int fd)
{
	struct compiled compiled;
	struct rusage usage;

	figures->status = compiled_open(&compiled, fd);
	if (!figures->status) {
		const struct tm_unwind_table *header = compiled.view.header;

		figures->file_bytes = compiled.file_bytes;
		figures->table_bytes = compiled.table.bytes;
		figures->rows = header->rows;
		figures->pages = header->pages;
		figures->rules = header->rules;
		figures->frames = header->frames;
		figures->refused = header->refused;
		figures->cut = header->flags & TM_UNWIND_TABLE_CUT;
		figures->cpu_ns = compiled.cpu_ns;
		(void)getrusage(RUSAGE_SELF, &usage);
		figures->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
	}
	_exit(0);
}

static void remember(const struct figures *file)
{
	for (int i = 0; i < LARGEST; i++) {
		if (file->rows <= largest[i].rows)
			continue;
		memmove(largest + i + 1, &largest[i], (LARGEST - 1 - (size_t)i) * sizeof(*largest));
		largest[i] = *file;
		return;
	}
}

static void take(const struct figures *file)
{
	if (file->status == PARSER_NOT_ELF)
		return;
	files++;
	if (file->status) {
		failed++;
		(void)printf("status %d: %s\n", file->status, file->path);
		return;
	}
	sum.file_bytes += file->file_bytes;
	sum.table_bytes += file->table_bytes;
	sum.rows += file->rows;
	sum.rules += file->rules;
	sum.frames += file->frames;
	sum.refused += file->refused;
	sum.cut += file->cut;
	sum.cpu_ns += file->cpu_ns;
	if (sum.peak_bytes < file->peak_bytes)
		sum.peak_bytes = file->peak_bytes;
	remember(file);
	if (each)
		show(file);
}

static void cost_file(const char *path)
{
	_cleanup_(tm_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	int status;
	pid_t pid;

	if (fd < 0)
		return;
	*figures = (struct figures){.status = PARSER_CRASHED};
	(void)snprintf(figures->path, sizeof(figures->path), "%s", path);
	pid = fork();
	if (pid == 0)
		compile(fd);
	if (pid > 0 && waitpid(pid, &status, 0) == pid)
		take(figures);
}

static bool is_elf(const char *path)
{
	_cleanup_(tm_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	char magic[4];

	return fd >= 0 && read(fd, magic, 4) == 4 && memcmp(magic, "\177ELF", 4) == 0;
}

static int visit(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	if (type == FTW_F && S_ISREG(status->st_mode) && is_elf(path))
		cost_file(path);
	return 0;
}

int main(int argc, char **argv)
{
	int first = 1;

	if (argc > 1 && strcmp(argv[1], "--each") == 0)
		each = first++ > 0;
	figures = mmap(NULL, sizeof(*figures), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (first >= argc || figures == MAP_FAILED)
		return 2;
	for (int i = first; i < argc; i++) {
		_cleanup_(tm_freep) char *path = realpath(argv[i], NULL);

		if (!path || nftw(path, visit, FOLDERS_OPEN, FTW_PHYS) < 0)
			failed++;
	}
	for (int i = 0; i < LARGEST && !each && largest[i].rows; i++)
		show(&largest[i]);
	(void)snprintf(sum.path, sizeof(sum.path), "%" PRIu64 " files, %" PRIu64 " not compiled",
		       files, failed);
	show(&sum);
	return failed || !files;
}
