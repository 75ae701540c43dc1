/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * kernel_types - which tracepoints this kernel has, by its type information (BTF)
 */

#define KERNEL_TYPES_BTF       "/sys/kernel/btf/vmlinux"
#define KERNEL_TYPES_MAX_BYTES (64u << 20) /* of the names; 5 MB are usual */

enum {
	KERNEL_TYPES_E_NONE = 1,
};

/*
 * BTF names the type of a tracepoint's programs btf_trace_@tracepoint. @path: of a BTF file.
 * Return: 0 (it exists), KERNEL_TYPES_E_NONE, -errno (-EPROTO: the file is not BTF).
 */
int kernel_types_find_tracepoint(const char *path, const char *tracepoint);
