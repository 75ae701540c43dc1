/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * kallsyms - one kernel symbol, from a line of /proc/kallsyms or from a record of kernel_symbols
 *
 * Shape      line: "address type name[\t[module]]"; record: struct tm_symbol and the two names.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KALLSYMS_NAME_MAX   512 /* KSYM_NAME_LEN, include/linux/kallsyms.h */
#define KALLSYMS_MODULE_MAX 64  /* MODULE_NAME_LEN is shorter on every 64-bit kernel */

enum {
	KALLSYMS_E_SHORT = 1, /* the rest has not come yet */
};

struct kallsyms_symbol {
	uint64_t address;
	char type;
	const char *name; /* in the text; not NUL-terminated */
	size_t name_bytes;
	const char *module; /* without brackets; 0 bytes: the kernel itself */
	size_t module_bytes;
};

/* @line: without the newline. Return: 0, -EBADMSG. */
int kallsyms_parse(const char *line, size_t bytes, struct kallsyms_symbol *ret_symbol);
/* The record at the start of @bytes bytes. Return: 0 and *ret_used; KALLSYMS_E_SHORT; -EBADMSG. */
int kallsyms_decode(const char *record, size_t bytes, struct kallsyms_symbol *ret_symbol,
		    size_t *ret_used);
/* Whether a stack can lie in it: text, and no padding before a function. */
bool kallsyms_is_code(const struct kallsyms_symbol *symbol);
