/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * preflight - checks that this host and this account can record, before anything is changed
 */

#include <stdbool.h>
#include <stddef.h>

#include "cli/options.h"

/* Root, its capabilities, BTF. Return: 0, or an exit code, after printing why. */
int preflight_check(void);
/* The capabilities that root lacks here, as a list: @ret_needed: without which nothing can be
 * recorded, @ret_useful: without which names are missing. */
void preflight_missing(char *ret_needed, size_t needed_bytes, char *ret_useful,
		       size_t useful_bytes);
/* Whether the hard limit of descriptors allows what the collector needs. */
bool preflight_files_suffice(unsigned long long *ret_least, unsigned long long *ret_most);
/* Prints in which way stacks of waiting threads are taken, unless it is the usual one. */
void preflight_describe_off_cpu(void);
/* Every process of -p exists. Return: 0, or an exit code, after printing why. */
int preflight_check_processes(const struct options *options);
/* Whether processes were selected and all of them still exist. */
bool preflight_finds_processes(const struct options *options);
/* Raises the limits on descriptors, and on locked memory where BPF maps count as such. */
void preflight_raise_limits(void);
/* Of descriptors alone. */
void preflight_raise_files(void);
