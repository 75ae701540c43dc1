/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * kallsyms - reads the kernel's symbols, and turns kernel addresses into (module, offset)
 *
 * Why        kernel addresses are secret (KASLR), so they must not leave the collector.
 * Shape      a reading: kallsyms_begin, kallsyms_read to the end, kallsyms_seal. It makes runs of
 *            addresses that belong to one module, for rebasing, and the sealed table of
 *            shared/wire.h, which has offsets within each module and no address.
 * Again      a later reading takes the symbols of modules and BPF programs only. What is new gets
 *            offsets behind those its module has had, so every (module, offset) keeps its meaning.
 *            A reading's runs hold from its start until the next one's; a sample that is older is
 *            rebased by the runs before, and by the newer ones only where those have none. Two
 *            sets do: the rings keep no sample for as long as passes between two readings.
 * Owner      struct kallsyms owns its arrays and the table.
 * Limits     TM_KERNEL_*; symbols beyond them are left out and their frames counted as unknown, as
 *            are those of modules and BPF programs that no reading has seen.
 * Threads    one.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/region.h"
#include "shared/wire.h"

/* Where a symbol's size is unknown: bytes behind the last one of the kernel that still belong to
 * it. The last one of a module reaches to the end of its page, behind which another module or
 * program may be loaded. Cut off by the next run. */
#define KALLSYMS_TAIL_BYTES (64u << 10)
#define KALLSYMS_PAGE_BYTES 4096u
#define KALLSYMS_READ_BYTES 4096u /* a read; the iterator does about 1 ms of work for it */

#define KALLSYMS_NAME_MAX   512 /* KSYM_NAME_LEN, include/linux/kallsyms.h */
#define KALLSYMS_MODULE_MAX 64  /* MODULE_NAME_LEN, include/linux/moduleparam.h, is 56 or less */

enum {
	KALLSYMS_E_END = 1,  /* of the text */
	KALLSYMS_E_SAME = 2, /* nothing is new: the table stays */
};

struct kallsyms_line {
	uint64_t address;
	char type;
	const char *name; /* in the text; not NUL-terminated */
	size_t name_bytes;
	const char *module; /* without brackets; 0 bytes: the kernel itself */
	size_t module_bytes;
	uint32_t bytes; /* of the code; 0: unknown */
};

struct kallsyms_entry {
	uint64_t address;
	uint64_t offset; /* in the module */
	uint32_t name;   /* offset into names */
	uint32_t bytes;  /* 0: unknown */
	uint16_t module;
	bool global;
	bool seen; /* of those known: in this reading too */
};

struct kallsyms_run { /* [start, end) belongs to the module; runs are sorted and disjoint */
	uint64_t start;
	uint64_t end;
	uint64_t base; /* the address of the module's offset 0, modulo 2^64 */
	uint32_t module;
};

struct kallsyms_runs {
	struct kallsyms_run *items;
	size_t count;
	uint64_t from; /* ktime */
};

struct kallsyms {
	/* during a reading: symbols that are not known, all names, and a line that is incomplete */
	struct kallsyms_entry *entries;
	size_t count;
	char *names;
	size_t name_bytes;
	char text[2 * KALLSYMS_READ_BYTES];
	size_t text_bytes;
	uint64_t started; /* ktime */
	/* kept */
	uint32_t modules[TM_KERNEL_MODULES_MAX]; /* name of each */
	unsigned module_count;
	struct kallsyms_entry *known; /* of what is loaded, without the kernel itself; by address */
	size_t known_count;
	struct kallsyms_runs runs;
	struct kallsyms_runs before; /* until runs.from */
	struct tm_region table;      /* sealed */
	uint64_t unknown;            /* frames in no run */
	uint64_t unknown_pages;      /* where: a bit stands for every 64th page */
};
#define KALLSYMS_NULL                   \
	{                               \
		.table = TM_REGION_NULL \
	}

void kallsyms_deinit(struct kallsyms *symbols);

/* @line: without the newline, as in /proc/kallsyms: "address type name[\t[module]]"; or with the
 * size as well, "...\t[module]\tname+0x0/0xsize [module]". Return: 0, -EBADMSG. */
int kallsyms_parse(const char *line, size_t bytes, struct kallsyms_line *ret_line);
/* Begins a reading at ktime @now. Return: 0, -ENOMEM. */
int kallsyms_begin(struct kallsyms *symbols, uint64_t now);
/* Reads once from @fd and keeps code symbols. Return: 0, KALLSYMS_E_END, -ENOMEM, -errno. */
int kallsyms_read(struct kallsyms *symbols, int fd);
/* Makes the runs and the table, and ends the reading. Return: 0, KALLSYMS_E_SAME, -errno. */
int kallsyms_seal(struct kallsyms *symbols);
/* Ends a reading without effect. */
void kallsyms_abort(struct kallsyms *symbols);
/* Return: the frame of a kernel address at @ktime; in no run: module TM_FRAME_MODULE_UNKNOWN,
 * counted. */
uint64_t kallsyms_rebase(struct kallsyms *symbols, uint64_t address, uint64_t ktime);
/* Does so in place for a stack, leaf first: all but the first frame are return addresses. */
void kallsyms_rebase_stack(struct kallsyms *symbols, uint64_t *frames, unsigned count,
			   uint64_t ktime);
