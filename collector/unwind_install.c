/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_install - from a ROWS message to a reference that the unwinder follows, and back to free units */

#include "collector/unwind_install.h"

#include <errno.h>
#include <stdlib.h>

#include "collector/watermark.h"
#include "shared/clock.h"
#include "shared/region.h"

int unwind_install_init(struct unwind_install *tables, uint64_t budget, struct file_requests *files,
			struct tm_retire_queue *queue, struct unwind_alloc_kernel kernel)
{
	*tables = (struct unwind_install){.files = files, .queue = queue};
	tables->all = calloc(FILE_REQUESTS_MAX + 1, sizeof(*tables->all));
	if (!tables->all)
		return -ENOMEM;
	return unwind_alloc_init(&tables->units, (uint32_t)(budget / TM_UNWIND_UNIT_BYTES), kernel);
}

void unwind_install_deinit(struct unwind_install *tables)
{
	unwind_install_drop(tables);
	unwind_alloc_deinit(&tables->units);
	free(tables->all);
	tables->all = NULL;
}

void unwind_install_drop(struct unwind_install *tables)
{
	free(tables->rows);
	tables->rows = NULL;
}

static struct unwind_table *table_of(struct unwind_install *tables, uint32_t number)
{
	return &tables->all[number == TM_UNWIND_MAP_VDSO ? UNWIND_INSTALL_VDSO : number];
}

static int refer(const struct unwind_install *tables, uint32_t number, uint64_t reference)
{
	const struct file_requests_kernel *kernel = &tables->files->kernel;

	return kernel->change(kernel->context, number, TM_FILE_TABLE, reference);
}

static void units_due(void *context, uint64_t ktime, uint64_t run)
{
	struct unwind_install *tables = context;

	unwind_alloc_free(&tables->units, (uint32_t)(run >> 32), (uint32_t)run);
}

/*
 * The number's reference becomes another; the units of the old one are free once all that may have read it
 * has ended. The queue's room comes first, so that no failure leaves them behind. Return: 0, -errno.
 */
static int replace(struct unwind_install *tables, uint32_t number, uint64_t reference,
		   struct unwind_table now)
{
	struct unwind_table *table = table_of(tables, number), old = *table;
	int r = tm_retire_reserve(tables->queue) == 0 ? 0 : -ENOMEM;

	if (r == 0)
		r = refer(tables, number, reference);
	if (r < 0)
		return r;
	if (old.units) {
		unwind_alloc_leave(&tables->units, old.first, old.units);
		(void)tm_retire_at(tables->queue, tm_clock_ns() + WATERMARK_GUARD_US * 1000ull,
				   units_due, tables, (uint64_t)old.first << 32 | old.units);
	}
	tables->count += (uint64_t)(now.units > 0) - (old.units > 0);
	*table = now;
	return 0;
}

/* The file longest unannounced that has a table; the one that waits for units is the last choice.
 * Return: its number, FILE_REQUESTS_MAX: none. */
static uint32_t find_oldest(const struct unwind_install *tables)
{
	uint32_t now_ms = (uint32_t)tm_clock_ms(), oldest = FILE_REQUESTS_MAX;
	int32_t most = INT32_MIN;

	for (uint32_t number = 0; number <= tables->files->highest; number++) {
		int32_t age = (int32_t)(now_ms - tables->files->entries[number].seen_ms);

		if (number == tables->number)
			age = INT32_MIN;
		if (tables->all[number].units && (oldest == FILE_REQUESTS_MAX || age > most)) {
			oldest = number;
			most = age;
		}
	}
	return oldest;
}

/* Evicts until there will be a run for what is on its way, or enough for now. Return: 0, -ENOSPC (there is
 * nothing to evict), -errno. */
static int make_room(struct unwind_install *tables)
{
	for (unsigned i = 0; i < UNWIND_INSTALL_EVICT_AT_ONCE; i++) {
		uint32_t oldest;
		int r;

		if (unwind_alloc_will_fit(&tables->units, tables->layout.units))
			return 0;
		oldest = find_oldest(tables);
		r = oldest < FILE_REQUESTS_MAX
			    ? replace(tables, oldest, 0, (struct unwind_table){0})
			    : -ENOSPC;
		if (r < 0)
			return r;
		tables->evicted++;
		if (oldest != tables->number)
			file_requests_begin_anew(tables->files, oldest);
	}
	return 0;
}

static int install(struct unwind_install *tables)
{
	const struct unwind_layout *layout = &tables->layout;
	struct unwind_table run = {.units = layout->units};
	int r = run.units ? unwind_alloc_take(&tables->units, run.units, &run.first) : 0;

	if (r != 0)
		return r;
	for (uint32_t i = 0; i < run.units; i++)
		unwind_layout_write(layout, i, unwind_alloc_at(&tables->units, run.first + i));
	r = replace(tables, tables->number, unwind_layout_reference(layout, run.first), run);
	if (r < 0 && run.units)
		unwind_alloc_free(&tables->units, run.first, run.units);
	return r;
}

/* Installs what is on its way, or lets it wait for W or, unless @may_grow, for a chunk. */
static void go_on(struct unwind_install *tables, bool may_grow)
{
	int r = install(tables);

	if (r == UNWIND_ALLOC_E_CHUNK && may_grow) {
		r = unwind_alloc_grow(&tables->units);
		if (r == 0)
			r = install(tables);
	}
	if (r == UNWIND_ALLOC_E_CHUNK || (r == UNWIND_ALLOC_E_FULL && make_room(tables) == 0))
		return;
	if (r == 0)
		tables->installed++;
	else
		tables->refused++;
	unwind_install_drop(tables);
}

void unwind_install_advance(struct unwind_install *tables)
{
	if (tables->rows)
		go_on(tables, /* may_grow= */ true);
	else
		unwind_alloc_shrink(&tables->units);
}

/* Whether this is the one answer that is due. */
static bool is_due(struct unwind_install *tables, const struct tm_wire *message)
{
	bool answered = tables->vdso_answered;

	if (message->number != TM_UNWIND_MAP_VDSO)
		return file_requests_answered(tables->files, message->number, message->value);
	tables->vdso_answered = true;
	return !answered && message->value == 0;
}

uint64_t unwind_install_take(struct unwind_install *tables, const struct tm_wire *message, int fd)
{
	uint32_t most = tables->units.limit / 2; /* units */
	size_t most_bytes = most * (size_t)TM_UNWIND_UNIT_BYTES;
	struct tm_unwind_table_view view;
	size_t bytes = 0;
	int r = is_due(tables, message) ? 0 : -ESTALE;

	if (most_bytes > TM_UNWIND_TABLE_BYTES_MAX)
		most_bytes = TM_UNWIND_TABLE_BYTES_MAX;
	if (r == 0)
		r = tm_region_copy_blob(fd, sizeof(struct tm_unwind_table), most_bytes,
					&tables->rows, &bytes);
	if (r == 0)
		r = tm_unwind_table_check(&view, tables->rows, bytes);
	if (r == 0) {
		tables->number = message->number;
		tables->layout = unwind_layout_of(&view);
	}
	if (r == 0 && tables->layout.units <= most) {
		go_on(tables, /* may_grow= */ false);
	} else {
		tables->refused++;
		unwind_install_drop(tables);
	}
	return bytes;
}

void unwind_install_failed(struct unwind_install *tables, const struct tm_wire *message,
			   uint64_t now_ms)
{
	if (file_requests_unparsed(tables->files, message->number, message->value, now_ms))
		tables->failed++;
	else
		tables->refused++;
}

void unwind_install_gone(struct unwind_install *tables, uint32_t number)
{
	struct unwind_table *table = table_of(tables, number);

	if (tables->rows && tables->number == number)
		unwind_install_drop(tables);
	if (table->units)
		unwind_alloc_free(&tables->units, table->first, table->units);
	tables->count -= table->units > 0;
	*table = (struct unwind_table){0};
}
