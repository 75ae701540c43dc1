/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * kallsyms - reads the kernel's symbols, and turns kernel addresses into (module, offset)
 *
 * Why        kernel addresses are secret (KASLR), so they must not leave the collector.
 * Shape      while reading: every code symbol with its address. After kallsyms_seal: runs of
 *            addresses that belong to one module, for rebasing, and the sealed table of
 *            shared/wire.h, which has offsets from each module's lowest text symbol and no address.
 * Owner      struct kallsyms owns its arrays; the sealed table's descriptor is the caller's.
 * Limits     TM_KERNEL_*; symbols beyond them are left out and their frames counted as unknown, as
 *            are those of modules and BPF programs loaded later.
 * Threads    one.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "shared/wire.h"

/* Bytes behind the last symbol of a run that still belong to it; cut off by the next run. */
#define KALLSYMS_TAIL_BYTES (64u << 10)

#define KALLSYMS_NAME_MAX   512 /* KSYM_NAME_LEN, include/linux/kallsyms.h */
#define KALLSYMS_MODULE_MAX 64  /* MODULE_NAME_LEN, include/linux/moduleparam.h, is 56 or less */

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

struct kallsyms_run { /* [start, end) belongs to the module; runs are sorted and disjoint */
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
/* Reads lines from @text to its end and keeps code symbols. Return: 0, -ENOMEM, -EIO. */
int kallsyms_read(struct kallsyms *symbols, FILE *text);
/* Makes the runs and the sealed table, and frees the symbols. Return: the table's descriptor,
 * -errno. */
int kallsyms_seal(struct kallsyms *symbols);
/* Return: the frame of a kernel address; in no run: module TM_FRAME_MODULE_UNKNOWN, counted. */
uint64_t kallsyms_rebase(struct kallsyms *symbols, uint64_t address);
