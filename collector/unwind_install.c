/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_install - checks the unwind tables that the symbolizer sends and puts them into BPF maps
 */

#include "collector/unwind_install.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	return unwind_alloc_init(&tables->alloc, (uint32_t)(budget / TM_UNWIND_UNIT_BYTES), kernel);
}

void unwind_install_deinit(struct unwind_install *tables)
{
	unwind_install_drop(tables);
	unwind_alloc_deinit(&tables->alloc);
	free(tables->all);
	tables->all = NULL;
}

void unwind_install_drop(struct unwind_install *tables)
{
	free(tables->pending);
	tables->pending = NULL;
}

static struct unwind_table *table_of(struct unwind_install *tables, uint32_t number)
{
	return &tables->all[number == TM_UNWIND_MAP_VDSO ? UNWIND_INSTALL_VDSO : number];
}

static int set_reference(const struct unwind_install *tables, uint32_t number, uint64_t reference)
{
	const struct file_requests_kernel *kernel = &tables->files->kernel;

	return kernel->change(kernel->context, number, TM_FILE_TABLE, reference);
}

void unwind_install_adopt(struct unwind_install *tables, uint32_t number, uint64_t reference,
			  int (*adopt)(void *context, uint32_t index, void **ret_memory))
{
	const struct unwind_table run = {TM_UNWIND_MAP_FIRST(reference),
					 TM_UNWIND_MAP_UNITS(reference), reference};

	if (!reference || reference & TM_UNWIND_MAP_EMPTY)
		return;
	if (unwind_alloc_adopt(&tables->alloc, run.first, run.units, adopt) < 0) {
		(void)set_reference(tables, number, 0);
		return;
	}
	*table_of(tables, number) = run;
	tables->count++;
	if (number != TM_UNWIND_MAP_VDSO && number > tables->files->highest)
		tables->files->highest = number;
}

static void on_units_unused(void *context, uint64_t ktime, uint64_t run)
{
	struct unwind_install *tables = context;

	unwind_alloc_free(&tables->alloc, (uint32_t)(run >> 32), (uint32_t)run);
}

/*
 * Sets the number's reference; the old table's units are free once every BPF program that may have
 * read its reference has ended. The entry of the queue is reserved first, so that no failure leaks
 * the units. Return: 0, -errno.
 */
static int replace(struct unwind_install *tables, uint32_t number, uint64_t reference,
		   struct unwind_table now)
{
	struct unwind_table *table = table_of(tables, number), old = *table;
	int r = tm_retire_reserve(tables->queue) == 0 ? 0 : -ENOMEM;

	if (r == 0)
		r = set_reference(tables, number, reference);
	if (r < 0)
		return r;
	if (old.units) {
		unwind_alloc_leave(&tables->alloc, old.first, old.units);
		(void)tm_retire_at(tables->queue, tm_clock_ns() + WATERMARK_GUARD_US * 1000ull,
				   on_units_unused, tables, (uint64_t)old.first << 32 | old.units);
	}
	tables->count += (uint64_t)(now.units > 0) - (old.units > 0);
	*table = now;
	return 0;
}

/* What is charged, in parts: a unit has as many as can be shared by one to four users. */
#define PARTS 12u
struct shares {
	uint32_t owners[FILE_QUEUE_OWNERS];
	uint32_t pool; /* of what more users have */
};

static struct shares count_shares(const struct unwind_install *tables)
{
	struct shares shares = {0};

	for (uint32_t number = 0; number <= tables->files->highest; number++) {
		const struct file_requests_entry *entry = &tables->files->entries[number];
		uint32_t parts = tables->all[number].units * PARTS;

		if (entry->user_count > FILE_REQUESTS_USERS)
			shares.pool += parts;
		else
			for (unsigned i = 0; i < entry->user_count; i++)
				shares.owners[entry->users[i]] += parts / entry->user_count;
	}
	return shares;
}

/* Of a table whose file is in use. Return: the higher, the earlier it is evicted; not 0. */
static uint32_t rank_of(const struct unwind_install *tables, const struct shares *shares,
			const struct file_requests_entry *entry)
{
	uint32_t least = UINT32_MAX - TM_FILE_USERS - 1;
	bool pool_is_large = shares->pool / PARTS > tables->alloc.limit / 2;

	if (entry->user_count > FILE_REQUESTS_USERS)
		return pool_is_large ? UINT32_MAX - entry->user_count : 1;
	for (unsigned i = 0; i < entry->user_count; i++)
		if (shares->owners[entry->users[i]] < least)
			least = shares->owners[entry->users[i]];
	return least;
}

/*
 * Of files that nobody samples any more the oldest, else as unwind_install.h says; the one whose
 * new table is pending is the last choice.
 * Return: a file's number; FILE_REQUESTS_MAX: none.
 */
static uint32_t find_victim(const struct unwind_install *tables)
{
	const struct shares shares = count_shares(tables);
	uint64_t victim = FILE_REQUESTS_MAX, most = 0;
	uint32_t now_ms = (uint32_t)tm_clock_ms();

	for (uint64_t number = 0; number <= tables->files->highest; number++) {
		const struct file_requests_entry *entry = &tables->files->entries[number];
		uint32_t age_ms = now_ms - entry->seen_ms;
		bool unused =
			age_ms > UNWIND_INSTALL_UNUSED_MS || entry->state == FILE_REQUESTS_AHEAD;
		uint64_t rank = unused ? UINT32_MAX : rank_of(tables, &shares, entry);

		rank = number == tables->number ? 1 : rank << 32 | age_ms;
		if (tables->all[number].units && rank > most) {
			victim = number;
			most = rank;
		}
	}
	return (uint32_t)victim;
}

/* Evicts tables until there will be a run for the pending one, at most
 * UNWIND_INSTALL_EVICT_AT_ONCE of them. Return: 0, -ENOSPC (nothing is left to evict), -errno. */
static int evict(struct unwind_install *tables)
{
	uint64_t most = tables->counts.evicted + UNWIND_INSTALL_EVICT_AT_ONCE;

	if (tables->ahead)
		return -ENOSPC;
	while (tables->counts.evicted < most &&
	       !unwind_alloc_will_fit(&tables->alloc, tables->layout.units)) {
		uint32_t victim = find_victim(tables);
		int r = victim == FILE_REQUESTS_MAX
				? -ENOSPC
				: replace(tables, victim, 0, (struct unwind_table){0});

		if (r < 0)
			return r;
		tables->counts.evicted++;
		if (victim != tables->number)
			file_requests_reset(tables->files, victim);
	}
	return 0;
}

/* Whether the number has the pending table already. */
static bool is_installed(struct unwind_install *tables)
{
	const struct unwind_table *table = table_of(tables, tables->number);
	const struct unwind_layout *layout = &tables->layout;
	uint8_t unit[TM_UNWIND_UNIT_BYTES];

	if (!table->units || table->reference != unwind_layout_reference(layout, table->first))
		return false;
	for (uint32_t i = 0; i < table->units; i++) {
		unwind_layout_write(layout, i, unit);
		if (memcmp(unit, unwind_alloc_at(&tables->alloc, table->first + i), sizeof(unit)))
			return false;
	}
	return true;
}

static int install(struct unwind_install *tables)
{
	const struct unwind_layout *layout = &tables->layout;
	struct unwind_table run = {.units = layout->units};
	int r = run.units ? unwind_alloc_take(&tables->alloc, run.units, &run.first) : 0;

	if (r != 0)
		return r;
	for (uint32_t i = 0; i < run.units; i++)
		unwind_layout_write(layout, i, unwind_alloc_at(&tables->alloc, run.first + i));
	run.reference = unwind_layout_reference(layout, run.first);
	r = replace(tables, tables->number, run.reference, run);
	if (r < 0 && run.units)
		unwind_alloc_free(&tables->alloc, run.first, run.units);
	return r;
}

/* The pending table was installed, or refused. */
static void end_pending(struct unwind_install *tables, bool installed)
{
	struct tm_install_counts *counts = &tables->counts;

	if (tables->ahead)
		*(installed ? &counts->ahead : &counts->ahead_refused) += 1;
	else
		*(installed ? &counts->installed : &counts->refused) += 1;
	unwind_install_drop(tables);
}

/* Installs the pending table, unless it has to wait for W or, without @may_grow, for a chunk. */
static void try_install(struct unwind_install *tables, bool may_grow)
{
	int r = install(tables);

	if (r == UNWIND_ALLOC_E_CHUNK && may_grow) {
		r = unwind_alloc_grow(&tables->alloc);
		if (r == 0)
			r = install(tables);
	}
	if (r == UNWIND_ALLOC_E_CHUNK || (r == UNWIND_ALLOC_E_FULL && evict(tables) == 0))
		return;
	end_pending(tables, r == 0);
}

void unwind_install_advance(struct unwind_install *tables)
{
	if (tables->pending)
		try_install(tables, /* may_grow= */ true);
	else
		unwind_alloc_shrink(&tables->alloc);
}

/* Whether this answer is due: one per FILE message, one for the vDSO. */
static bool is_due(struct unwind_install *tables, const struct tm_wire *message)
{
	bool answered = tables->vdso_answered;

	if (message->number != TM_UNWIND_MAP_VDSO)
		return file_requests_answered(tables->files, message->number, message->value);
	tables->vdso_answered = true;
	return !answered && message->value == 0;
}

/* @r: -errno: it is refused unread. Return: bytes that were read. */
static uint64_t take(struct unwind_install *tables, uint32_t number, int fd, bool ahead, int r)
{
	uint32_t most = tables->alloc.limit / 2; /* units */
	size_t most_bytes = most * (size_t)TM_UNWIND_UNIT_BYTES;
	struct tm_unwind_table_view view;
	size_t bytes = 0;

	if (most_bytes > TM_UNWIND_TABLE_BYTES_MAX)
		most_bytes = TM_UNWIND_TABLE_BYTES_MAX;
	if (r >= 0)
		r = tm_region_copy_blob(fd, sizeof(struct tm_unwind_table), most_bytes,
					&tables->pending, &bytes);
	if (r == 0)
		r = tm_unwind_table_check(&view, tables->pending, bytes);
	tables->number = number;
	tables->ahead = ahead;
	if (r == 0)
		tables->layout = unwind_layout_of(&view);
	if (r || tables->layout.units > most || is_installed(tables))
		end_pending(tables, /* installed= */ r == 0 && tables->layout.units <= most);
	else
		try_install(tables, /* may_grow= */ false);
	return bytes;
}

uint64_t unwind_install_take(struct unwind_install *tables, const struct tm_wire *message, int fd)
{
	return take(tables, message->number, fd, /* ahead= */ false,
		    is_due(tables, message) ? 0 : -ESTALE);
}

int unwind_install_ahead(struct unwind_install *tables, const struct tm_wire *message, int fd,
			 bool late, uint64_t *ret_bytes)
{
	struct file_requests *files = tables->files;
	struct tm_identity identity;
	int number = -ENOENT;

	memcpy(&identity, message->text, sizeof(identity));
	if (identity.dev >> UNWIND_INSTALL_MAJOR_SHIFT == 0)
		return -EBADMSG;
	if (!late)
		number = files->kernel.number(files->kernel.context, &identity);
	if (number >= 0) {
		files->entries[number].state = FILE_REQUESTS_AHEAD;
		if ((uint32_t)number > files->highest)
			files->highest = (uint32_t)number;
	}
	*ret_bytes = take(tables, (uint32_t)number, fd, /* ahead= */ true, number);
	return 0;
}

void unwind_install_failed(struct unwind_install *tables, const struct tm_wire *message,
			   uint64_t now_ms)
{
	bool again = message->kind == TM_WIRE_FILE_AGAIN;
	bool due =
		again ? file_requests_again(tables->files, message->number, message->value, now_ms)
		      : file_requests_unparsed(tables->files, message->number, message->value,
					       now_ms);

	tables->counts.failed += due && !again;
	tables->counts.refused += !due;
}

void unwind_install_forget(struct unwind_install *tables, uint32_t number)
{
	struct unwind_table *table = table_of(tables, number);

	if (tables->pending && tables->number == number)
		unwind_install_drop(tables);
	if (table->units)
		unwind_alloc_free(&tables->alloc, table->first, table->units);
	tables->count -= table->units > 0;
	*table = (struct unwind_table){0};
}
