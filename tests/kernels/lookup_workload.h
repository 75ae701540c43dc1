/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * lookup_workload - threads that run code all over an address space, which others keep changing
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOAD_MAPPINGS      30000
#define LOAD_STORM_THREADS 3
#define LOAD_STORM_PAGES   8

struct load {
	const uint8_t *many; /* LOAD_MAPPINGS mappings of one page of code each, or NULL */
	uint8_t *storm;      /* area whose mappings come and go, or NULL */
	size_t storm_bytes;
};

/* Maps and starts what is asked for; ends with the process. Return: 0, -errno. */
int load_start(struct load *load, bool many, bool storm);
/* Stops the storm, so that the mappings hold still. */
void load_calm(void);
