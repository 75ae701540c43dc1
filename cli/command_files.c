/* SPDX-License-Identifier: Apache-2.0 */
/* command_files - maps what COMMAND will have mapped, in the process that is to become it */

#include "cli/command_files.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/spawn.h"
#include "shared/cleanup.h"
#include "shared/clock.h"

#define LIST_BYTES   (64 << 10) /* a line is rarely longer than 128 */
#define SCRIPT_BYTES 256        /* BINPRM_BUF_SIZE, include/uapi/linux/binfmts.h */

struct files {
	uint64_t *addresses;
	unsigned count;
};

/* Without waiting for the other end of a FIFO. */
static int open_regular(const char *path)
{
	_cleanup_(tm_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return -1;
	return TM_TAKE_FD(fd);
}

static void map(struct files *files, const char *path)
{
	_cleanup_(tm_closep) int fd = open_regular(path);
	void *page;

	if (fd < 0 || files->count == COMMAND_FILES_MAX)
		return;
	page = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (page != MAP_FAILED)
		files->addresses[files->count++] = (uint64_t)(uintptr_t)page;
}

/* As execvp() does. Return: whether there is one. */
static bool find(const char *name, char ret_path[static PATH_MAX])
{
	const char *folders = getenv("PATH"), *end;

	if (strchr(name, '/')) {
		(void)snprintf(ret_path, PATH_MAX, "%s", name);
		return true;
	}
	for (; folders; folders = *end ? end + 1 : NULL) {
		end = strchrnul(folders, ':');
		(void)snprintf(ret_path, PATH_MAX, "%.*s%s%s", (int)(end - folders), folders,
			       end > folders ? "/" : "./", name);
		if (access(ret_path, X_OK) == 0)
			return true;
	}
	return false;
}

/* The program that runs the script; behind `env`, which is mapped, the one that it starts. Return:
 * whether @path is a script that has one. */
static bool find_interpreter(struct files *files, const char *path, char ret_path[static PATH_MAX])
{
	_cleanup_(tm_closep) int fd = open_regular(path);
	char head[SCRIPT_BYTES + 1], *word, *rest;
	ssize_t bytes = fd < 0 ? -1 : read(fd, head, SCRIPT_BYTES);

	if (bytes < 2 || head[0] != '#' || head[1] != '!')
		return false;
	head[bytes] = '\0';
	head[strcspn(head, "\n")] = '\0';
	word = strtok_r(head + 2, " \t", &rest);
	if (word && strcmp(basename(word), "env") == 0) {
		map(files, word);
		word = strtok_r(NULL, " \t", &rest);
		if (word && strcmp(word, "-S") == 0)
			word = strtok_r(NULL, " \t", &rest);
	}
	return word && find(word, ret_path);
}

/* Runs in the child. */
static _Noreturn void execute(const char *linker, const char *path, int output)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0 &&
	    dup2(output, STDOUT_FILENO) >= 0)
		(void)execl(linker, linker, "--list", path, (char *)NULL);
	_exit(127);
}

/* Reads until the end, or until the time is over. */
static void read_list(int fd, char *ret_text)
{
	const uint64_t end_ms = tm_clock_ms() + COMMAND_FILES_LIST_MS;
	struct pollfd input = {.fd = fd, .events = POLLIN};
	size_t bytes = 0;

	for (;;) {
		uint64_t now_ms = tm_clock_ms();
		ssize_t got;

		if (now_ms >= end_ms || poll(&input, 1, (int)(end_ms - now_ms)) <= 0)
			break;
		got = read(fd, ret_text + bytes, LIST_BYTES - 1 - bytes);
		if (got <= 0)
			break;
		bytes += (size_t)got;
	}
}

/* Has the linker print what it would load for the program. @ret_text: LIST_BYTES. */
static void list(const char *path, char *ret_text)
{
	Dl_info linker;
	int pipes[2];
	pid_t child;

	if (!getauxval(AT_BASE) || !dladdr((void *)getauxval(AT_BASE), &linker) ||
	    pipe2(pipes, O_CLOEXEC) < 0)
		return;
	child = fork();
	if (child == 0)
		execute(linker.dli_fname, path, pipes[1]);
	(void)tm_close(pipes[1]);
	if (child > 0) {
		read_list(pipes[0], ret_text);
		(void)kill(child, SIGKILL);
		(void)spawn_wait(child, NULL, NULL);
	}
	(void)tm_close(pipes[0]);
}

/* A line is "name => path (0x...)", or has the path alone. */
static void map_program(struct files *files, const char *path)
{
	_cleanup_(tm_freep) char *text = calloc(1, LIST_BYTES);
	char *line, *rest;

	map(files, path);
	if (!text)
		return;
	list(path, text);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *file = strchr(line, '/'), *end = strstr(line, " (0x");

		if (!file || !end || end < file)
			continue;
		*end = '\0';
		map(files, file);
	}
}

unsigned command_files_map(const char *command, uint64_t *ret_addresses)
{
	struct files files = {.addresses = ret_addresses};
	char path[PATH_MAX], interpreter[PATH_MAX];
	bool found = find(command, path);

	for (unsigned depth = 0; found && depth <= COMMAND_FILES_DEPTH; depth++) {
		if (!find_interpreter(&files, path, interpreter)) {
			map_program(&files, path);
			break;
		}
		memcpy(path, interpreter, sizeof(path));
	}
	return files.count;
}
