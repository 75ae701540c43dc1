/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * hostile_symbolizer - what a hostile symbolizer sends: tables with one defect each,
 * descriptors of other kinds, malformed messages, and questions for files that it may not have
 */

#include <stddef.h>
#include <stdint.h>

#include "shared/unwind_table.h"
#include "tests/integration/programs/collector_harness.h"

#define HOSTILE_PAGES 2
#define HOSTILE_RULES 3

/* A valid table of two pages and three rules, to which each attack adds one defect. */
struct hostile_table {
	struct tm_unwind_table header;
	uint32_t starts[HOSTILE_PAGES];
	struct tm_rule rules[HOSTILE_RULES];
	struct tm_unwind_table_page pages[HOSTILE_PAGES];
};

void hostile_table_make(struct hostile_table *table);

/* A defect of the table's bytes. */
struct hostile_bytes {
	const char *name;
	void (*spoil)(struct hostile_table *table);
	long more; /* bytes added at its end; negative: missing */
};
extern const struct hostile_bytes hostile_bytes[];
extern const size_t hostile_bytes_count;

/* A container that is not a sealed memfd. Return: a descriptor, -errno. */
struct hostile_container {
	const char *name;
	int (*open)(const void *bytes, size_t count);
};
extern const struct hostile_container hostile_containers[];
extern const size_t hostile_containers_count;

/* A malformed message. Sends it in answer to @file. @table: a valid one. Return: as
 * tm_fdpass_send(). */
struct hostile_message {
	const char *name;
	int (*send)(const struct harness *harness, const struct tm_wire *file, int table);
	bool many; /* sends several messages, each of which may be counted */
};
extern const struct hostile_message hostile_messages[];
extern const size_t hostile_messages_count;

/* A question for a separate debug file. */
struct hostile_question {
	const char *name;
	uint16_t form, text_bytes;
	const char *text;
};
/* These name what no symbolizer may. */
extern const struct hostile_question hostile_questions[];
extern const size_t hostile_questions_count;

/* As if @file were the one whose debug file is wanted. Return: as tm_fdpass_send(). */
int hostile_ask(const struct harness *harness, const struct tm_wire *file,
		const struct hostile_question *question);
/*
 * Asks what a symbolizer may ask, about files in @folder, some of which lead out of it. @complain
 * is called for each answer that is wrong. Return: how many were judged.
 */
unsigned hostile_ask_allowed(struct harness *harness, const char *folder,
			     void (*complain)(const char *name, const char *what, int error));

int hostile_send(const struct harness *harness, uint32_t number, uint64_t value, int fd);
