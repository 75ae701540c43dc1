/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * rogue - what a symbolizer that lies sends: tables of rows that are wrong in one way each, descriptors that
 * are no tables, and messages that are wrong themselves
 */

#include <stddef.h>
#include <stdint.h>

#include "shared/unwind_table.h"
#include "tests/integration/programs/host.h"

#define ROGUE_PAGES 2
#define ROGUE_RULES 3

/* A table that is right: two pages, three rules. What is done to it makes it wrong. */
struct rogue_table {
	struct tm_unwind_table header;
	uint32_t starts[ROGUE_PAGES];
	struct tm_rule rules[ROGUE_RULES];
	struct tm_unwind_table_page pages[ROGUE_PAGES];
};

void rogue_table_make(struct rogue_table *table);

/* A wrong in the table's bytes. */
struct rogue_bytes {
	const char *name;
	void (*spoil)(struct rogue_table *table);
	long more; /* bytes behind it, or missing */
};
extern const struct rogue_bytes rogue_bytes[];
extern const size_t rogue_bytes_count;

/* A wrong in what the bytes are in. Return: a descriptor, -errno. */
struct rogue_container {
	const char *name;
	int (*open)(const void *bytes, size_t count);
};
extern const struct rogue_container rogue_containers[];
extern const size_t rogue_containers_count;

/* A wrong in the message. Sends it, in answer to @file. @table: one that is right. Return: 0, what
 * tm_fdpass_send says. */
struct rogue_message {
	const char *name;
	int (*send)(const struct host *host, const struct tm_wire *file, int table);
};
extern const struct rogue_message rogue_messages[];
extern const size_t rogue_messages_count;

int rogue_say(const struct host *host, uint32_t number, uint64_t value, int fd);
