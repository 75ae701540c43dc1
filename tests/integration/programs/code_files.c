/* SPDX-License-Identifier: Apache-2.0 */
/* code_files - a chain of functions, each in a file of its own, that calls one of the program */

#include "tests/integration/programs/code_files.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096u

/* A function with a frame pointer, whose argument is an array of functions: it calls the first with
 * the rest. push rbp; mov rbp,rsp; mov rax,[rdi]; add rdi,8; call rax; pop rbp; ret */
static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x8b, 0x07, 0x48,
			       0x83, 0xc7, 0x08, 0xff, 0xd0, 0x5d, 0xc3};

static int files[CODE_FILES_MAX];
static unsigned made;
static void *functions[CODE_FILES_MAX + 1];

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

int code_files_make(const char *folder, unsigned count)
{
	for (made = 0; made < count && made < CODE_FILES_MAX; made++)
		if (make_file(folder, made) < 0)
			return -1;
	return 0;
}

void code_files_call(void (*last)(void **, unsigned), unsigned argument)
{
	void (*first)(void **, unsigned);

	memcpy(&functions[made], &last, sizeof(last));
	memcpy(&first, functions, sizeof(first));
	first(functions + 1, argument); /* `code` leaves the second one alone */
}

int code_files_touch(time_t second)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = second}};

	for (unsigned i = 0; i < made; i++)
		if (futimens(files[i], times) < 0)
			return -1;
	return 0;
}
