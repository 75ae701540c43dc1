/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit - spins in code that it makes itself, always at the same address, and writes a perf map of it
 *
 * usage: jit MODE SECONDS. The map names the code jit_MODE, and that of mode `bytes` has bytes that
 * are no text. Modes: own (an honest map); late (its line follows after half the time); short (it
 * is emptied and written once more then); bytes; none (there is no map); and maps that are not to
 * be believed: fifo, symlink, link (has two links), other (of another user), old (written before
 * this process began).
 */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ADDRESS      0x123450000ul
#define OTHER_USER   12345
#define OLD_SECONDS  1000000000
#define MAP_NAME_MAX 64

/* push rbp; mov rbp, rsp; mov ecx, 1 << 20; until it is 0: sub ecx, 1; pop rbp; ret */
static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0xb9, 0x00, 0x00, 0x10,
			       0x00, 0x83, 0xe9, 0x01, 0x75, 0xfb, 0x5d, 0xc3};

static char path[MAP_NAME_MAX], aside[MAP_NAME_MAX + 2];

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	_exit(1);
}

static double now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void write_map(const char *file, const char *name, const char *how)
{
	FILE *map = fopen(file, how);

	must(map != NULL, file);
	(void)fprintf(map, "%lx %zx jit_%s\n", ADDRESS, sizeof(code), name);
	must(fclose(map) == 0, file);
}

static void make_map(const char *mode)
{
	const struct timespec old[2] = {{.tv_sec = OLD_SECONDS}, {.tv_sec = OLD_SECONDS}};

	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	(void)snprintf(aside, sizeof(aside), "%s.2", path);
	if (!strcmp(mode, "none"))
		return;
	if (!strcmp(mode, "fifo"))
		must(mkfifo(path, 0644) == 0, path);
	else if (!strcmp(mode, "symlink"))
		write_map(aside, mode, "w");
	else if (!strcmp(mode, "late"))
		write_map(path, "early\n1 1 a line that is not comp", "w");
	else
		write_map(path, strcmp(mode, "bytes") ? mode : "bytes\x1b[2J\xff\xfe", "w");
	if (!strcmp(mode, "symlink"))
		must(symlink(aside, path) == 0, path);
	if (!strcmp(mode, "link"))
		must(link(path, aside) == 0, path);
	if (!strcmp(mode, "other"))
		must(chown(path, OTHER_USER, OTHER_USER) == 0, path);
	if (!strcmp(mode, "old"))
		must(utimensat(AT_FDCWD, path, old, 0) == 0, path);
}

static void change_map(const char *mode)
{
	if (!strcmp(mode, "late"))
		write_map(path, mode, "a");
	if (!strcmp(mode, "short")) {
		must(truncate(path, 0) == 0, path);
		write_map(path, mode, "a");
	}
}

static void __attribute__((noinline)) spin_until(void (*spin)(void), double end)
{
	while (now() < end)
		spin();
}

int main(int argc, char **argv)
{
	double begun = now(), seconds;
	void *memory;

	if (argc != 3)
		return 2;
	seconds = strtod(argv[2], NULL);
	(void)prctl(PR_SET_NAME, argv[1]);
	memory = mmap((void *)ADDRESS, 4096, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	must(memory != MAP_FAILED, "mmap");
	memcpy(memory, code, sizeof(code));
	must(mprotect(memory, 4096, PROT_READ | PROT_EXEC) == 0, "mprotect");
	make_map(argv[1]);
	spin_until((void (*)(void))memory, begun + seconds / 2);
	change_map(argv[1]);
	spin_until((void (*)(void))memory, begun + seconds);
	return 0;
}
