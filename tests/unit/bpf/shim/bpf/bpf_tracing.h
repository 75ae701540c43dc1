/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * bpf_tracing - stands in for libbpf's header in a user-space build: a program is a function
 */

#define BPF_PROG(name, arguments...) name(arguments)
