/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * bpf_core_read - stands in for libbpf's header in a user-space build of bpf/: nothing is relocated
 *
 * Structures are as bpf/kernel_types.h declares them. Which fields the kernel has is what
 * bpf_host_has_field() says.
 */

#include <stdbool.h>
#include <stddef.h>

#include <bpf/bpf_helpers.h>

bool bpf_host_has_field(const char *type, const char *field);

#define bpf_core_field_exists(type, field)       bpf_host_has_field(#type, #field)
#define bpf_core_field_offset(type, field)       offsetof(type, field)
#define bpf_core_type_size(type)                 sizeof(type)
#define bpf_core_enum_value_exists(type, value)  false
#define bpf_core_enum_value(type, value)         ((__u64)(value))
#define BPF_CORE_READ_BITFIELD(from, field)      ((from)->field)
#define BPF_CORE_READ_BITFIELD_PROBED(from, bit) ((from)->bit)

/* One field, by a probe read; zero where it cannot be read. */
#define CORE_READ_ONE(from)                                                          \
	({                                                                           \
		char bytes_[sizeof(*(from))] __attribute__((aligned(8)));            \
		bpf_probe_read_kernel(bytes_, sizeof(bytes_), (const void *)(from)); \
		*(__typeof__(*(from)) *)(void *)bytes_;                              \
	})
#define CORE_READ_1(from, a)                     CORE_READ_ONE(&(from)->a)
#define CORE_READ_2(from, a, b)                  CORE_READ_1(CORE_READ_1(from, a), b)
#define CORE_READ_3(from, a, b, c)               CORE_READ_1(CORE_READ_2(from, a, b), c)
#define CORE_READ_4(from, a, b, c, d)            CORE_READ_1(CORE_READ_3(from, a, b, c), d)
#define CORE_READ_N(from, a, b, c, d, name, ...) name
#define BPF_CORE_READ(from, ...)                                                             \
	CORE_READ_N(from, ##__VA_ARGS__, CORE_READ_4, CORE_READ_3, CORE_READ_2, CORE_READ_1) \
	(from, ##__VA_ARGS__)
