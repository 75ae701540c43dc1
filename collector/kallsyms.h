/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * kallsyms - one line of the kernel's symbol text: "address type name[\t[module]]"
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KALLSYMS_NAME_MAX 512  /* KSYM_NAME_LEN, include/linux/kallsyms.h */
#define KALLSYMS_MODULE_MAX 64 /* MODULE_NAME_LEN is shorter on every 64-bit kernel */

struct kallsyms_symbol {
	uint64_t address;
	char type;
	const char *name; /* in the line; not NUL-terminated */
	size_t name_bytes;
	const char *module; /* without brackets; 0 bytes: the kernel itself */
	size_t module_bytes;
};

/* @line: without the newline. Return: 0, -EBADMSG. */
int kallsyms_parse(const char *line, size_t bytes, struct kallsyms_symbol *ret_symbol);
/* Whether a stack can lie in it: text, and no padding before a function. */
bool kallsyms_is_code(const struct kallsyms_symbol *symbol);
