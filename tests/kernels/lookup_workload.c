/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lookup_workload - threads that run code all over an address space, which others keep changing
 */

#include "tests/kernels/lookup_workload.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096u

/* mov $20000,%ecx; 1: dec %ecx; jnz 1b; ret: about ten microseconds anywhere in memory */
static const uint8_t code[] = {0xb9, 0x20, 0x4e, 0x00, 0x00, 0xff, 0xc9, 0x75, 0xfc, 0xc3};

static int code_fd = -1;
static atomic_bool calm;
static pthread_t stormers[LOAD_STORM_THREADS];
static bool storming;

static void run(const uint8_t *at)
{
	void (*function)(void);

	memcpy(&function, &(void *){(void *)(uintptr_t)at}, sizeof(function));
	function();
}

/* A file of pages that each begin with the code. */
static int make_code(void)
{
	uint8_t page[PAGE] = {0};

	memcpy(page, code, sizeof(code));
	code_fd = memfd_create("lookup-code", MFD_CLOEXEC);
	if (code_fd < 0)
		return -errno;
	for (int i = 0; i < LOAD_STORM_PAGES; i++)
		if (write(code_fd, page, sizeof(page)) != (ssize_t)sizeof(page))
			return -EIO;
	return 0;
}

static void *run_many(void *argument)
{
	const uint8_t *many = argument;
	uint32_t random = 1;

	for (;;) {
		random = random * 1664525u + 1013904223u;
		run(many + (size_t)(random >> 8) % LOAD_MAPPINGS * PAGE);
	}
	return NULL;
}

/* Maps code, runs it, splits it, runs it, unmaps it; the pages beside it come and go as well. */
static void *run_storm(void *argument)
{
	uint8_t *area = argument, *at;
	const size_t bytes = LOAD_STORM_PAGES * PAGE;

	while (!atomic_load(&calm)) {
		at = mmap(area + PAGE, bytes, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED,
			  code_fd, 0);
		if (at == MAP_FAILED)
			continue;
		run(at);
		(void)mmap(area, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		(void)mprotect(at + bytes / 2, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
		run(at + bytes / 2);
		run(at + bytes - PAGE);
		(void)munmap(area, bytes + PAGE);
	}
	return NULL;
}

static int start_many(struct load *load)
{
	const size_t bytes = (size_t)LOAD_MAPPINGS * PAGE;
	pthread_t thread;
	uint8_t *area;

	area = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area == MAP_FAILED)
		return -errno;
	for (size_t at = 0; at < bytes; at += PAGE)
		if (mmap(area + at, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, code_fd,
			 0) == MAP_FAILED)
			return -errno;
	load->many = area;
	return -pthread_create(&thread, NULL, run_many, area);
}

static int start_storm(struct load *load)
{
	const size_t bytes = (LOAD_STORM_PAGES + 1) * PAGE;
	int error = 0;

	load->storm_bytes = bytes * LOAD_STORM_THREADS;
	load->storm = mmap(NULL, load->storm_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (load->storm == MAP_FAILED)
		return -errno;
	for (size_t i = 0; i < LOAD_STORM_THREADS && !error; i++)
		error = -pthread_create(&stormers[i], NULL, run_storm, load->storm + i * bytes);
	storming = !error;
	return error;
}

int load_start(struct load *load, bool many, bool storm)
{
	int error = make_code();

	if (!error && many)
		error = start_many(load);
	if (!error && storm)
		error = start_storm(load);
	return error;
}

void load_calm(void)
{
	atomic_store(&calm, true);
	for (size_t i = 0; storming && i < LOAD_STORM_THREADS; i++)
		(void)pthread_join(stormers[i], NULL);
	storming = false;
}
