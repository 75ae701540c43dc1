/* SPDX-License-Identifier: Apache-2.0 */
/* test_command_files - which files are mapped for which COMMAND */

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/command_files.h"
#include "tests/unit/cli/test_folder.h"

static uint64_t addresses[COMMAND_FILES_MAX];
static unsigned count;

static void map_command(const char *command)
{
	while (count > 0)
		assert_int_equal(munmap((void *)(uintptr_t)addresses[--count], 1), 0);
	count = command_files_map(command, addresses);
}

/* Whether the file is mapped there, executable, as the kernel says. */
static bool is_mapped(uint64_t address, const struct stat *file)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 128], rights[8];
	uint64_t start, inode;
	bool found = false;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%*x %7s %*x %*s %" SCNu64, &start, rights, &inode) ==
			    3 &&
		    start == address)
			found = inode == file->st_ino && strcmp(rights, "r-xp") == 0;
	(void)fclose(maps);
	return found;
}

static bool has(const char *path)
{
	struct stat file;

	assert_int_equal(stat(path, &file), 0);
	for (unsigned i = 0; i < count; i++)
		if (is_mapped(addresses[i], &file))
			return true;
	return false;
}

static const char *libc(void)
{
	static Dl_info info;

	assert_int_not_equal(dladdr((void *)(uintptr_t)getenv, &info), 0);
	return info.dli_fname;
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(close(fd), 0);
}

static void copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out;
	struct stat status;

	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	assert_true(in >= 0 && out >= 0 && fstat(in, &status) == 0);
	assert_int_equal(sendfile(out, in, NULL, (size_t)status.st_size), status.st_size);
	assert_int_equal(close(in), 0);
	assert_int_equal(close(out), 0);
}

static const char *numbered(unsigned number)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "lib%u.so", number);
	return test_folder_path(name);
}

static void program_has_its_libraries_and_its_linker(void **state)
{
	Dl_info linker;

	map_command("/bin/sh");
	assert_true(has("/bin/sh"));
	assert_true(has(libc()));
	assert_true(dladdr((void *)getauxval(AT_BASE), &linker) && has(linker.dli_fname));
	map_command("sh"); /* by PATH */
	assert_true(has("/bin/sh"));
	assert_true(has(libc()));
}

static void script_has_its_interpreter(void **state)
{
	static const char *const heads[] = {"#!/bin/sh -e\n:\n", "#! \t/bin/sh",
					    "#!/usr/bin/env sh\n", "#!/usr/bin/env -S sh -e\n"};
	const char *path = test_folder_path("script");

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		write_file(path, heads[i]);
		map_command(path);
		assert_true(has("/bin/sh"));
		assert_true(has(libc()));
		assert_int_equal(has("/usr/bin/env"), strstr(heads[i], "env") != NULL);
		assert_int_equal(unlink(path), 0);
	}
}

static void script_may_be_the_interpreter_of_another(void **state)
{
	const char *inner = test_folder_path("inner"), *outer = test_folder_path("outer");
	char head[PATH_MAX + 8];

	write_file(inner, "#!/bin/sh\n");
	(void)snprintf(head, sizeof(head), "#!%s\n", inner);
	write_file(outer, head);
	map_command(outer);
	assert_true(has("/bin/sh"));
	assert_int_equal(unlink(inner), 0);
	(void)snprintf(head, sizeof(head), "#!%s\n", outer); /* now a circle */
	write_file(inner, head);
	map_command(outer);
	assert_int_equal(count, 0);
	assert_int_equal(unlink(inner), 0);
	assert_int_equal(unlink(outer), 0);
}

static void what_cannot_be_loaded_is_mapped_alone_or_not_at_all(void **state)
{
	const char *path = test_folder_path("file");

	write_file(path, "\177ELF, but not really");
	map_command(path);
	assert_int_equal(count, 1);
	assert_true(has(path));
	assert_int_equal(unlink(path), 0);
	write_file(path, "");
	map_command(path);
	assert_int_equal(count, 1);
	assert_int_equal(unlink(path), 0);
	map_command(path);
	assert_int_equal(count, 0);
	map_command(folder);
	assert_int_equal(count, 0);
	map_command("");
	assert_int_equal(count, 0);
	assert_int_equal(mkfifo(path, 0700), 0); /* nobody ever writes to it */
	map_command(path);
	assert_int_equal(count, 0);
	assert_int_equal(unlink(path), 0);
}

/* The libraries are one that is there, under many names. */
static void more_files_than_the_most_are_left_out(void **state)
{
	char list[(COMMAND_FILES_MAX + 1) * 64] = "", real[PATH_MAX];
	size_t bytes = 0;

	(void)snprintf(real, sizeof(real), "%s/libdl.so.2", dirname(strdupa(libc())));
	for (unsigned i = 0; i <= COMMAND_FILES_MAX; i++) {
		const char *path = numbered(i);

		copy_file(real, path);
		bytes += (size_t)snprintf(list + bytes, sizeof(list) - bytes, "%s:", path);
	}
	assert_int_equal(setenv("LD_PRELOAD", list, 1), 0);
	map_command("/bin/sh");
	assert_int_equal(unsetenv("LD_PRELOAD"), 0);
	assert_int_equal(count, COMMAND_FILES_MAX);
	assert_true(has("/bin/sh") && has(numbered(0)) && !has(numbered(COMMAND_FILES_MAX)));
	for (unsigned i = 0; i <= COMMAND_FILES_MAX; i++)
		assert_int_equal(unlink(numbered(i)), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, test_folder_make, test_folder_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(program_has_its_libraries_and_its_linker),
		CASE(script_has_its_interpreter),
		CASE(script_may_be_the_interpreter_of_another),
		CASE(what_cannot_be_loaded_is_mapped_alone_or_not_at_all),
		CASE(more_files_than_the_most_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
