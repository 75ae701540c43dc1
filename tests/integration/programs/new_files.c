/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_files - calls through many files of code, and makes each of them a new file again and again
 *
 * new_files FOLDER COUNT: writes COUNT files of code into FOLDER, which must be empty, and prints
 * "ready". Until its input ends it changes their modification times and calls the function of the
 * first, which calls that of the second and so on. So each sample has COUNT new files.
 */

#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/clock.h"

#define PAGE      4096u
#define FILES_MAX 100u
#define ROUND_NS  2000000u

/* A function with a frame pointer, whose argument is an array of functions: it calls the first with
 * the rest. push rbp; mov rbp,rsp; mov rax,[rdi]; add rdi,8; call rax; pop rbp; ret */
static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x8b, 0x07, 0x48,
			       0x83, 0xc7, 0x08, 0xff, 0xd0, 0x5d, 0xc3};

static int files[FILES_MAX];
static void *functions[FILES_MAX + 1];

static int make_file(const char *folder, unsigned number)
{
	uint8_t page[PAGE] = {0};
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/code-%03u", folder, number);
	memcpy(page, code, sizeof(code));
	files[number] = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (files[number] < 0 || write(files[number], page, PAGE) != PAGE)
		return -1;
	functions[number] = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, files[number], 0);
	return functions[number] == MAP_FAILED ? -1 : 0;
}

/* The innermost. */
static void spin(void **rest)
{
	uint64_t end = tm_clock_ns() + ROUND_NS;

	(void)rest;
	while (tm_clock_ns() < end)
		;
}

static void call_first(void)
{
	void (*first)(void **);

	memcpy(&first, functions, sizeof(first));
	first(functions + 1);
}

static int make_new(unsigned count, time_t second)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = second}};

	for (unsigned i = 0; i < count; i++)
		if (futimens(files[i], times) < 0)
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	unsigned count = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	void (*last)(void **) = spin;

	if (!count || count > FILES_MAX)
		return 2;
	for (unsigned i = 0; i < count; i++)
		if (make_file(argv[1], i) < 0) {
			perror("new_files: making a file of code");
			return 1;
		}
	memcpy(&functions[count], &last, sizeof(last));
	(void)puts("ready");
	(void)fflush(stdout);
	for (time_t second = 1; poll(&input, 1, 0) == 0; second++) {
		if (make_new(count, second) < 0) {
			perror("new_files: changing the times of a file");
			return 1;
		}
		call_first();
	}
	return 0;
}
