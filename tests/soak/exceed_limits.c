/* SPDX-License-Identifier: GPL-2.0 */
/*
 * exceed_limits - runs code in more files, or in more processes, than the BPF maps have entries for
 *
 * exceed_limits files FOLDER COUNT MICROSECONDS: prints "ready" once COUNT files of code are in
 *	FOLDER. For each line N it runs MICROSECONDS in each of the first N files (0: in all)
 *	and prints "done".
 * exceed_limits processes COUNT MICROSECONDS: prints "ready". For each line it starts COUNT
 *	processes, each of which runs that long and stays, and prints "done"; at the next line
 *	it ends them and prints "over".
 * A line may also be the path of a program to execute, or "end".
 */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/clock.h"

#define PAGE        4096u
#define STACK_BYTES 8192u
#define PARALLEL    2 /* processes that run the files */

/* push rbp; mov rsp,rbp; 1: dec %edi; jnz 1b; pop rbp; ret: a function of one argument */
static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xcf, 0x75, 0xfc, 0x5d, 0xc3};

static void file_path(char path[static 512], const char *folder, unsigned long number)
{
	(void)snprintf(path, 512, "%s/code-%06lu", folder, number);
}

static int write_file(const char *folder, unsigned long number)
{
	uint8_t page[PAGE] = {0};
	char path[512];
	ssize_t written;
	int fd;

	file_path(path, folder, number);
	memcpy(page, code, sizeof(code));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	if (fd < 0)
		return -errno;
	written = write(fd, page, sizeof(page));
	(void)close(fd);
	return written == (ssize_t)sizeof(page) ? 0 : -EIO;
}

static void spin_in(const uint8_t *at, uint64_t ns)
{
	uint64_t end = tm_clock_ns() + ns;
	void (*function)(unsigned);

	memcpy(&function, &(void *){(void *)(uintptr_t)at}, sizeof(function));
	do {
		function(20000);
	} while (tm_clock_ns() < end);
}

static int run_file(const char *folder, unsigned long number, uint64_t ns)
{
	char path[512];
	uint8_t *at;
	int fd;

	file_path(path, folder, number);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	(void)close(fd);
	if (at == MAP_FAILED)
		return -errno;
	spin_in(at, ns);
	(void)munmap(at, PAGE);
	return 0;
}

static int run_files(const char *folder, unsigned long count, uint64_t ns)
{
	int status, wrong = 0;

	for (unsigned i = 0; i < PARALLEL; i++) {
		if (fork() != 0)
			continue;
		for (unsigned long number = 1 + i; number <= count; number += PARALLEL)
			wrong |= run_file(folder, number, ns);
		_exit(wrong != 0);
	}
	while (wait(&status) > 0)
		wrong |= status;
	return wrong;
}

static int run_program(char *path)
{
	char milliseconds[] = "300";
	char *arguments[] = {path, milliseconds, NULL};
	char *environment[] = {NULL};
	pid_t pid;

	path[strcspn(path, "\n")] = '\0';
	if (posix_spawn(&pid, path, NULL, NULL, arguments, environment) != 0)
		return 1;
	return waitpid(pid, NULL, 0) != pid;
}

/* @line: a path to execute, or how many files (0: all). Return: 0, 1. */
static int execute_line(char *line, const char *folder, unsigned long count, uint64_t ns)
{
	unsigned long some = strtoul(line, NULL, 10);
	int r = line[0] == '/' ? run_program(line) : run_files(folder, some ? some : count, ns);

	printf("done\n");
	return r;
}

static int files(const char *folder, unsigned long count, uint64_t ns)
{
	char line[512];
	int r = 0;

	for (unsigned long number = 1; number <= count; number++)
		if (write_file(folder, number) < 0)
			return 1;
	printf("ready\n");
	while (r == 0 && fgets(line, sizeof(line), stdin) && strcmp(line, "end\n") != 0)
		r = execute_line(line, folder, count, ns);
	return r;
}

static int stay(void *ns)
{
	while (tm_clock_read(CLOCK_PROCESS_CPUTIME_ID) < *(uint64_t *)ns)
		;
	while (pause() < 0)
		;
	return 0;
}

/* A process of its own that shares our memory, so that thousands of them cost little. */
static pid_t start_process(uint8_t *stack, uint64_t *ns)
{
	return clone(stay, stack + STACK_BYTES, CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, ns);
}

static int run_processes(uint8_t *stacks, pid_t *pids, unsigned long count, uint64_t ns)
{
	char line[512];
	int r = 0;

	for (unsigned long i = 0; i < count; i++) {
		pids[i] = start_process(stacks + i * STACK_BYTES, &ns);
		if (pids[i] < 0)
			return 1;
	}
	printf("done\n");
	if (!fgets(line, sizeof(line), stdin))
		r = 1;
	for (unsigned long i = 0; i < count; i++)
		(void)kill(pids[i], SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	printf("over\n");
	return r;
}

static int processes(unsigned long count, uint64_t ns)
{
	uint8_t *stacks = mmap(NULL, count * STACK_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t *pids = calloc(count, sizeof(*pids));
	char line[512];
	int r = stacks == MAP_FAILED || !pids;

	printf("ready\n");
	while (r == 0 && fgets(line, sizeof(line), stdin) && strcmp(line, "end\n") != 0)
		r = line[0] == '/' ? execute_line(line, NULL, 0, 0)
				   : run_processes(stacks, pids, count, ns);
	free(pids);
	return r;
}

int main(int argc, char **argv)
{
	(void)setvbuf(stdout, NULL, _IONBF, 0);
	if (argc == 5 && strcmp(argv[1], "files") == 0)
		return files(argv[2], strtoul(argv[3], NULL, 10),
			     strtoul(argv[4], NULL, 10) * 1000);
	if (argc == 4 && strcmp(argv[1], "processes") == 0)
		return processes(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10) * 1000);
	return 2;
}
