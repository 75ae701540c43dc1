/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_install - from a ROWS message to a reference that the unwinder follows, and back to free units */

#include "collector/unwind_install.h"

#include <errno.h>
#include <stdlib.h>

#include "collector/watermark.h"
#include "shared/clock.h"
#include "shared/region.h"

int tables_init(struct tables *tables, uint64_t budget, struct files *files,
		struct tm_retire_queue *queue, struct tm_units_kernel kernel)
{
	*tables = (struct tables){.files = files, .queue = queue};
	tables->all = calloc(FILES_MAX + 1, sizeof(*tables->all));
	if (!tables->all)
		return -ENOMEM;
	return tm_units_init(&tables->units, (uint32_t)(budget / TM_UNIT_BYTES), kernel);
}

void tables_deinit(struct tables *tables)
{
	tables_drop(tables);
	tm_units_deinit(&tables->units);
	free(tables->all);
	tables->all = NULL;
}

void tables_drop(struct tables *tables)
{
	free(tables->rows);
	tables->rows = NULL;
}

static struct table *table_of(struct tables *tables, uint32_t number)
{
	return &tables->all[number == TM_TABLE_VDSO ? TABLES_VDSO : number];
}

static int refer(const struct tables *tables, uint32_t number, uint64_t reference)
{
	const struct files_kernel *kernel = &tables->files->kernel;

	return kernel->change(kernel->context, number, TM_FILE_TABLE, reference);
}

static void units_due(void *context, uint64_t ktime, uint64_t run)
{
	struct tables *tables = context;

	tm_units_free(&tables->units, (uint32_t)(run >> 32), (uint32_t)run);
}

/*
 * The number's reference becomes another; the units of the old one are free once all that may have read it
 * has ended. The queue's room comes first, so that no failure leaves them behind. Return: 0, -errno.
 */
static int replace(struct tables *tables, uint32_t number, uint64_t reference, struct table now)
{
	struct table *table = table_of(tables, number), old = *table;
	int r = tm_retire_reserve(tables->queue) == 0 ? 0 : -ENOMEM;

	if (r == 0)
		r = refer(tables, number, reference);
	if (r < 0)
		return r;
	if (old.units) {
		tm_units_leave(&tables->units, old.first, old.units);
		(void)tm_retire_at(tables->queue, tm_clock_ns() + WATERMARK_GUARD_US * 1000ull,
				   units_due, tables, (uint64_t)old.first << 32 | old.units);
	}
	tables->count += (uint64_t)(now.units > 0) - (old.units > 0);
	*table = now;
	return 0;
}

/* The file longest unannounced that has a table; the one that waits for units is the last choice.
 * Return: its number, FILES_MAX: none. */
static uint32_t find_oldest(const struct tables *tables)
{
	uint32_t now_ms = (uint32_t)tm_clock_ms(), oldest = FILES_MAX;
	int32_t most = INT32_MIN;

	for (uint32_t number = 0; number <= tables->files->highest; number++) {
		int32_t age = (int32_t)(now_ms - tables->files->entries[number].seen_ms);

		if (number == tables->number)
			age = INT32_MIN;
		if (tables->all[number].units && (oldest == FILES_MAX || age > most)) {
			oldest = number;
			most = age;
		}
	}
	return oldest;
}

/* Evicts until there will be a run for what is on its way, or enough for now. Return: 0, -ENOSPC (there is
 * nothing to evict), -errno. */
static int make_room(struct tables *tables)
{
	for (unsigned i = 0; i < TABLES_EVICT_AT_ONCE; i++) {
		uint32_t oldest;
		int r;

		if (tm_units_will_fit(&tables->units, tables->layout.units))
			return 0;
		oldest = find_oldest(tables);
		r = oldest < FILES_MAX ? replace(tables, oldest, 0, (struct table){0}) : -ENOSPC;
		if (r < 0)
			return r;
		tables->evicted++;
		if (oldest != tables->number)
			files_begin_anew(tables->files, oldest);
	}
	return 0;
}

static int install(struct tables *tables)
{
	const struct tm_layout *layout = &tables->layout;
	struct table run = {.units = layout->units};
	int r = run.units ? tm_units_take(&tables->units, run.units, &run.first) : 0;

	if (r != 0)
		return r;
	for (uint32_t i = 0; i < run.units; i++)
		tm_layout_write(layout, i, tm_units_at(&tables->units, run.first + i));
	r = replace(tables, tables->number, tm_layout_reference(layout, run.first), run);
	if (r < 0 && run.units)
		tm_units_free(&tables->units, run.first, run.units);
	return r;
}

/* Installs what is on its way, or lets it wait for W or, unless @may_grow, for a chunk. */
static void go_on(struct tables *tables, bool may_grow)
{
	int r = install(tables);

	if (r == TM_UNITS_E_CHUNK && may_grow) {
		r = tm_units_grow(&tables->units);
		if (r == 0)
			r = install(tables);
	}
	if (r == TM_UNITS_E_CHUNK || (r == TM_UNITS_E_FULL && make_room(tables) == 0))
		return;
	if (r == 0)
		tables->installed++;
	else
		tables->refused++;
	tables_drop(tables);
}

void tables_advance(struct tables *tables)
{
	if (tables->rows)
		go_on(tables, /* may_grow= */ true);
	else
		tm_units_shrink(&tables->units);
}

/* Whether this is the one answer that is due. */
static bool is_due(struct tables *tables, const struct tm_wire *message)
{
	bool answered = tables->vdso_answered;

	if (message->number != TM_TABLE_VDSO)
		return files_answered(tables->files, message->number, message->value);
	tables->vdso_answered = true;
	return !answered && message->value == 0;
}

uint64_t tables_take(struct tables *tables, const struct tm_wire *message, int fd)
{
	uint32_t most = tables->units.limit / 2; /* units */
	size_t most_bytes = most * (size_t)TM_UNIT_BYTES;
	struct tm_rows_view view;
	size_t bytes = 0;
	int r = is_due(tables, message) ? 0 : -ESTALE;

	if (most_bytes > TM_ROWS_BYTES_MAX)
		most_bytes = TM_ROWS_BYTES_MAX;
	if (r == 0)
		r = tm_region_copy_blob(fd, sizeof(struct tm_rows), most_bytes, &tables->rows,
					&bytes);
	if (r == 0)
		r = tm_rows_check(&view, tables->rows, bytes);
	if (r == 0) {
		tables->number = message->number;
		tables->layout = tm_layout_of(&view);
	}
	if (r == 0 && tables->layout.units <= most) {
		go_on(tables, /* may_grow= */ false);
	} else {
		tables->refused++;
		tables_drop(tables);
	}
	return bytes;
}

void tables_gone(struct tables *tables, uint32_t number)
{
	struct table *table = table_of(tables, number);

	if (tables->rows && tables->number == number)
		tables_drop(tables);
	if (table->units)
		tm_units_free(&tables->units, table->first, table->units);
	tables->count -= table->units > 0;
	*table = (struct table){0};
}
