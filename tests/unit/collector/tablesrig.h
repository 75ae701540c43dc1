/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * tablesrig - tables between a made-up kernel room, whose calls can fail, and rows of any size
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "collector/unwind_install.h"
#include "shared/clock.h"
#include "shared/region.h"

#define BUDGET (4u << 20)
#define UNITS  (BUDGET / TM_UNIT_BYTES)
#define KTIME  (77ull << 30)

struct world {
	struct asker asker;
	struct handoff handoff;
	struct files files;
	struct tm_retire_queue queue;
	struct tables tables;
	uint64_t references[FILES_MAX + 1];
	unsigned chunks; /* that the kernel room has */
	unsigned calls;  /* of it so far */
	unsigned fails;  /* which call fails; 0: none */
};

static int fails(struct world *world)
{
	return ++world->calls == world->fails;
}

static int make_chunk(void *context, uint32_t index, void **ret_memory)
{
	struct world *world = context;

	if (fails(world))
		return -ENOMEM;
	*ret_memory = calloc(TM_UNITS_CHUNK, TM_UNIT_BYTES);
	world->chunks++;
	return 0;
}

static void drop_chunk(void *context, uint32_t index, void *memory)
{
	((struct world *)context)->chunks--;
	free(memory);
}

static int change(void *context, uint32_t number, enum tm_file_change change, uint64_t value)
{
	struct world *world = context;

	if (fails(world))
		return -ENOENT;
	if (change == TM_FILE_TABLE)
		world->references[number == TM_TABLE_VDSO ? TABLES_VDSO : number] = value;
	return 0;
}

static int make(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	const struct files_kernel kernel = {world, NULL, change};
	const struct tm_units_kernel chunks = {world, make_chunk, drop_chunk};

	if (!world)
		return -1;
	world->asker.fd = -1;
	handoff_init(&world->handoff, -1);
	*state = world;
	return files_init(&world->files, &world->asker, &world->handoff, kernel) ||
	       tables_init(&world->tables, BUDGET, &world->files, &world->queue, chunks);
}

static int unmake(void **state)
{
	struct world *world = *state;

	tm_retire_deinit(&world->queue);
	tables_deinit(&world->tables);
	files_deinit(&world->files);
	assert_int_equal(world->chunks, 0);
	free(world);
	return 0;
}

/* Sealed rows: a row a page, 64 KiB apart, rules in turn. Return: descriptor. */
static int seal_rows(uint32_t pages, uint32_t rules)
{
	size_t bytes = tm_rows_bytes(pages, rules);
	struct tm_rows *header = calloc(1, bytes);
	uint32_t *starts = (void *)(header + 1);
	struct tm_rule *rule = (void *)((uint8_t *)starts + ((pages * 4ull + 7) & ~7ull));
	struct tm_rows_page *page = (void *)(rule + rules);
	int fd;

	*header = (struct tm_rows){
		.magic = TM_ROWS_MAGIC, .pages = pages, .rules = rules, .rows = pages};
	for (uint32_t i = 0; i < rules; i++)
		rule[i] = (struct tm_rule){
			.cfa = TM_CFA_SP, .ra = TM_SAVED_CFA, .cfa_offset = (int32_t)i};
	for (uint32_t i = 0; i < pages; i++) {
		starts[i] = i << 16;
		for (uint32_t row = 0; row < TM_ROWS_PAGE; row++) {
			page[i].offsets[row] = row ? TM_ROWS_PAD : 0;
			page[i].rules[row] = (uint16_t)(i % rules);
		}
	}
	fd = tm_region_seal_blob("rows", header, bytes);
	assert_true(fd >= 0);
	free(header);
	return fd;
}

/* The file was handed over, announced @age_ms ago. */
static void hand_over(struct world *world, uint32_t number, uint32_t age_ms)
{
	struct files_entry *entry = &world->files.entries[number];

	entry->state = FILES_SENT;
	entry->sent = (uint32_t)(KTIME >> 10);
	entry->seen_ms = (uint32_t)tm_clock_ms() - age_ms;
	if (number > world->files.highest)
		world->files.highest = number;
}

/* What waits for chunks alone, not for W, goes on. */
static void grow(struct world *world)
{
	for (unsigned before = world->chunks + 1; world->tables.rows && before != world->chunks;) {
		before = world->chunks;
		tables_advance(&world->tables);
	}
}

/* Rounds in which nothing comes: empty chunks are dropped. */
static inline void rest(struct world *world)
{
	for (unsigned i = 0; i < TM_CHUNKS_MAX; i++)
		tables_advance(&world->tables);
}

/* @fd: taken. */
static void answer_by(struct world *world, uint32_t number, uint64_t value, int fd)
{
	const struct tm_wire message = {.kind = TM_WIRE_ROWS, .number = number, .value = value};

	(void)tables_take(&world->tables, &message, fd);
	(void)close(fd);
	grow(world);
}

static inline void answer(struct world *world, uint32_t number, uint32_t pages)
{
	answer_by(world, number, number == TM_TABLE_VDSO ? 0 : KTIME, seal_rows(pages, 1));
}

/* W rises above all that was said until now. */
static inline void pass(struct world *world)
{
	(void)tm_retire_run(&world->queue, tm_clock_ns() + 1000000000ull);
	tables_advance(&world->tables);
	grow(world);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)
