/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * kallsyms - kernel addresses on this side of the wall, (module, offset) on the other
 *
 * Shape      while building: every code symbol with its address. After kallsyms_seal: the runs of addresses
 *            that belong to one module, for rebasing, and the sealed table of shared/wire.h, which holds
 *            offsets from each module's lowest text symbol and no address.
 * Limits     TM_KERNEL_*; what exceeds them is left out, its frames count as unknown.
 * Hazard     modules and BPF programs that come later are not in it: unknown, counted.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "shared/wire.h"

/* Code behind the last symbol of a run that still counts as its; cut by the next run. */
#define KALLSYMS_TAIL_BYTES (64u << 10)

#define KALLSYMS_NAME_MAX   512 /* KSYM_NAME_LEN, include/linux/kallsyms.h */
#define KALLSYMS_MODULE_MAX 64  /* MODULE_NAME_LEN is shorter on every 64-bit kernel */

struct kallsyms_line {
	uint64_t address;
	char type;
	const char *name; /* in the text; not NUL-terminated */
	size_t name_bytes;
	const char *module; /* without brackets; 0 bytes: the kernel itself */
	size_t module_bytes;
};

struct kallsyms_entry {
	uint64_t address;
	uint32_t name; /* offset into names */
	uint16_t module;
	uint16_t global;
};

struct kallsyms_run { /* [start, end) is module's; runs are sorted and apart */
	uint64_t start;
	uint64_t end;
	uint64_t base; /* of the module */
	uint32_t module;
};

struct kallsyms {
	struct kallsyms_entry *entries;
	size_t count;
	char *names;
	size_t name_bytes;
	uint32_t modules[TM_KERNEL_MODULES_MAX]; /* name of each */
	unsigned module_count;
	struct kallsyms_run *runs;
	size_t run_count;
	uint64_t unknown; /* frames in no run */
};

void kallsyms_deinit(struct kallsyms *symbols);

/* @line: without the newline, as in /proc/kallsyms: "address type name[\t[module]]".
 * Return: 0, -EBADMSG. */
int kallsyms_parse(const char *line, size_t bytes, struct kallsyms_line *ret_line);
/* Takes the lines of @text to its end, keeps the code. Return: 0, -ENOMEM, -EIO. */
int kallsyms_read(struct kallsyms *symbols, FILE *text);
/* Sorts, makes the runs and frees the rest. Return: descriptor of the table, -errno. */
int kallsyms_seal(struct kallsyms *symbols);
/* Return: the frame word of a kernel address, module TM_FRAME_MODULE_UNKNOWN where there is none. */
uint64_t kallsyms_rebase(struct kallsyms *symbols, uint64_t address);
