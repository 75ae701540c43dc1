/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_maps - gets the names of JIT code from the perf maps of sampled processes
 */

#include "symbolizer/names/perf_maps.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "shared/cleanup.h"
#include "shared/clock.h"

#define STATUS_WANTED \
	(STATX_TYPE | STATX_SIZE | STATX_MTIME | STATX_CTIME | STATX_INO | STATX_UID | STATX_NLINK)
#define CLOCK_SLACK_NS 10000000 /* the times of files are those of the last tick */

static int64_t now_ms(void)
{
	return (int64_t)tm_clock_ms();
}

/* --- descriptors ------------------------------------------------------------------------------ */

static bool read_status(int fd, struct statx *ret_status)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY && !(flags & O_PATH) &&
	       statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATUS_WANTED, ret_status) == 0 &&
	       S_ISREG(ret_status->stx_mode);
}

static bool is_same_time(const struct statx_timestamp *a, const struct statx_timestamp *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool has_changed(const struct perf_maps_entry *entry, const struct statx *now)
{
	const struct statx *read = &entry->read;

	return read->stx_size != now->stx_size ||
	       !is_same_time(&read->stx_mtime, &now->stx_mtime) ||
	       !is_same_time(&read->stx_ctime, &now->stx_ctime);
}

static bool is_same_file(const struct statx *a, const struct statx *b)
{
	return a->stx_ino == b->stx_ino && a->stx_dev_major == b->stx_dev_major &&
	       a->stx_dev_minor == b->stx_dev_minor;
}

static void close_entry(struct perf_maps *maps, struct perf_maps_entry *entry)
{
	if (entry->state == PERF_MAPS_WANTED)
		symbol_store_fail(maps->store, &entry->identity, TM_UNNAMED_NOT_PARSED, now_ms());
	entry->fd = tm_close(entry->fd);
	entry->state = PERF_MAPS_IDLE;
	maps->open--;
}

static struct perf_maps_entry *find_entry(struct perf_maps *maps, const struct tm_process_key *key)
{
	for (uint32_t i = 0; i < PERF_MAPS_MAX; i++)
		if (maps->entries[i].fd >= 0 &&
		    memcmp(&maps->entries[i].key, key, sizeof(*key)) == 0)
			return &maps->entries[i];
	return NULL;
}

/* Return: NULL: there are too many. */
static struct perf_maps_entry *new_entry(struct perf_maps *maps, const struct tm_process_key *key,
					 uint32_t version)
{
	for (uint32_t i = 0; i < maps->max; i++) {
		struct perf_maps_entry *entry = &maps->entries[i];

		if (entry->fd >= 0 || entry->state != PERF_MAPS_IDLE)
			continue;
		*entry = (struct perf_maps_entry){.key = *key, .version = version};
		maps->open++;
		return entry;
	}
	return NULL;
}

/* --- what the collector sent ------------------------------------------------------------------ */

static int64_t time_ns(clockid_t clock)
{
	struct timespec now = {0};

	(void)clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* When the file was last written, by another clock. */
static int64_t written_ns(const struct statx *status, clockid_t clock)
{
	return status->stx_mtime.tv_sec * 1000000000 + status->stx_mtime.tv_nsec -
	       time_ns(CLOCK_REALTIME) + time_ns(clock);
}

/*
 * Whether the map was last written while the process ran another program. Where that is too close
 * to say, it was if that program had anonymous code; a shell that became this one had none.
 */
static bool is_of_another_program(const struct perf_maps *maps, const struct process *process,
				  const struct statx *status)
{
	int64_t written = written_ns(status, CLOCK_MONOTONIC);

	for (uint32_t i = 0; i < maps->processes->count; i++) {
		const struct process *other = &maps->processes->items[i];
		int64_t slack = other->map_ktime ? CLOCK_SLACK_NS : -CLOCK_SLACK_NS;

		if (other->state != PROCESS_FREE && other->tgid == process->tgid &&
		    other->start_boottime == process->start_boottime &&
		    other->exec_id != process->exec_id &&
		    written <= (int64_t)other->seen_ktime + slack)
			return true;
	}
	return false;
}

/* Return: why the map is not that of the process; 0: it is. */
static enum tm_no_file refusal(const struct perf_maps *maps, const struct process *process,
			       const struct statx *status)
{
	if (status->stx_uid != process->euid)
		return TM_NO_FILE_OWNER;
	if (status->stx_nlink != 1)
		return TM_NO_FILE_OTHER;
	if (written_ns(status, CLOCK_BOOTTIME) + CLOCK_SLACK_NS <
		    (int64_t)process->start_boottime ||
	    is_of_another_program(maps, process, status))
		return TM_NO_FILE_STALE;
	return TM_NO_FILE_UNANSWERED;
}

/* A later descriptor of the same file is not needed; one of another file takes its place. */
static void take_map(struct perf_maps *maps, struct process *process, int fd)
{
	const struct tm_process_key key = {process->tgid, process->exec_id,
					   process->start_boottime};
	struct perf_maps_entry *entry = find_entry(maps, &key);
	_cleanup_(tm_closep) int owned = fd;
	struct statx status, held;

	process->map_refused = TM_NO_FILE_TYPE;
	if (read_status(owned, &status))
		process->map_refused = (uint8_t)refusal(maps, process, &status);
	if (process->map_refused)
		return;
	if (entry && read_status(entry->fd, &held) && is_same_file(&held, &status))
		return;
	if (entry)
		(void)tm_close(entry->fd);
	else
		entry = new_entry(maps, &key, process->map_version);
	if (!entry) {
		process->map_refused = TM_NO_FILE_LIMIT;
		return;
	}
	entry->read = (struct statx){0};
	entry->ktime = tm_clock_ns();
	entry->fd = TM_TAKE_FD(owned);
}

/* Return: whether the announcement that it answers was read. Takes @fd then. */
static bool take(struct perf_maps *maps, const struct perf_maps_early *answer)
{
	struct process *process =
		process_of_announcement(maps->processes, answer->tgid, answer->ktime);

	if (!process)
		return false;
	process->map_refused = answer->reason;
	if (answer->fd >= 0)
		take_map(maps, process, answer->fd);
	return true;
}

static void take_or_keep(struct perf_maps *maps, struct perf_maps_early answer)
{
	if (take(maps, &answer))
		return;
	answer.until_ms = now_ms() + PERF_MAPS_EARLY_MS;
	for (uint32_t i = 0; answer.ktime && i < PERF_MAPS_EARLY; i++) {
		if (maps->early[i].ktime)
			continue;
		maps->early[i] = answer;
		maps->waiting++;
		return;
	}
	(void)tm_close(answer.fd);
}

static void retry_early(struct perf_maps *maps)
{
	for (uint32_t i = 0; maps->waiting && i < PERF_MAPS_EARLY; i++) {
		struct perf_maps_early *early = &maps->early[i];

		if (!early->ktime)
			continue;
		if (!take(maps, early)) {
			if (now_ms() < early->until_ms)
				continue;
			(void)tm_close(early->fd);
		}
		*early = (struct perf_maps_early){.fd = -1};
		maps->waiting--;
	}
}

/* --- the parser ------------------------------------------------------------------------------- */

/* @at: the entry that asked. A map that became shorter is read once more, as it is now. */
static void on_answer(void *context, uint32_t at, struct parser_client_answer *answer)
{
	struct perf_maps *maps = context;
	struct perf_maps_entry *entry = &maps->entries[at];

	entry->state = PERF_MAPS_IDLE;
	if (answer->failure == TM_PARSE_CHANGED && ++entry->tries < PERF_MAPS_TRIES)
		entry->state = PERF_MAPS_WANTED;
	else if (answer->failure < TM_PARSE_N)
		symbol_store_fail(maps->store, &entry->identity, TM_UNNAMED_NOT_PARSED, now_ms());
	else if (answer->fd < 0)
		symbol_store_refuse(maps->store, &entry->identity, TM_UNNAMED_MALFORMED);
	else
		symbol_store_put(maps->store, &entry->identity, TM_TAKE_FD(answer->fd), now_ms());
}

static void ask(struct perf_maps *maps, uint32_t at)
{
	struct perf_maps_entry *entry = &maps->entries[at];
	const struct parser_client_request request = {
		.kind = PARSER_PERF_MAP,
		.target = entry->fd,
		.value = at,
		.context = maps,
		.fn = on_answer,
	};

	entry->state = PERF_MAPS_ASKED;
	if (parser_client_ask(maps->parser, &request) == 0)
		return;
	entry->state = PERF_MAPS_IDLE;
	parser_client_count(maps->parser, TM_PARSE_NO_PARSER);
	symbol_store_fail(maps->store, &entry->identity, TM_UNNAMED_NOT_PARSED, now_ms());
}

/*
 * Has the map read if it has changed, or if what was made of it is not there any more. Not before
 * it is known (@released) whether its process was gone when it was opened: who writes it after that
 * is another one.
 */
static void begin_version(struct perf_maps *maps, struct perf_maps_entry *entry,
			  struct process *process, uint64_t released)
{
	struct tm_identity identity;
	struct statx now;
	bool changed;

	if (entry->state != PERF_MAPS_IDLE || released < entry->ktime ||
	    !read_status(entry->fd, &now))
		return;
	if (process->exit_ktime &&
	    written_ns(&now, CLOCK_MONOTONIC) > (int64_t)process->exit_ktime + CLOCK_SLACK_NS) {
		process->map_refused = TM_NO_FILE_STALE;
		return;
	}
	changed = !entry->version || has_changed(entry, &now);
	identity = perf_maps_identity(process, entry->version + changed);
	if (symbol_store_begin(maps->store, &identity, now_ms()))
		return;
	entry->version += changed;
	entry->identity = identity;
	entry->read = now;
	entry->tries = 0;
	entry->state = PERF_MAPS_WANTED;
	process->map_version = entry->version;
}

static void advance(struct perf_maps *maps, uint32_t at, uint64_t released)
{
	struct perf_maps_entry *entry = &maps->entries[at];
	struct process *process = process_of_key(maps->processes, &entry->key);

	if (entry->state == PERF_MAPS_IDLE && process && process->exit_ktime && !entry->ended &&
	    released >= entry->ktime) {
		begin_version(maps, entry, process, released);
		entry->ended = true;
	}
	if (entry->state == PERF_MAPS_WANTED && process &&
	    (maps->parser->socket < 0 || parser_client_is_ready(maps->parser)))
		ask(maps, at);
	if ((!process && entry->state != PERF_MAPS_ASKED) ||
	    (entry->ended && entry->state == PERF_MAPS_IDLE))
		close_entry(maps, entry);
}

/* --- for all ---------------------------------------------------------------------------------- */

void perf_maps_init(struct perf_maps *maps, struct process_table *processes,
		    struct symbol_store *store, struct parser_client *parser)
{
	memset(maps, 0, sizeof(*maps)); /* too large for a compound literal */
	maps->processes = processes;
	maps->store = store;
	maps->parser = parser;
	maps->max = PERF_MAPS_MAX;
	for (uint32_t i = 0; i < PERF_MAPS_MAX; i++)
		maps->entries[i].fd = -1;
	for (uint32_t i = 0; i < PERF_MAPS_EARLY; i++)
		maps->early[i].fd = -1;
}

void perf_maps_deinit(struct perf_maps *maps)
{
	if (!maps->parser)
		return;
	parser_client_cancel(maps->parser, maps);
	for (uint32_t i = 0; i < PERF_MAPS_MAX; i++)
		maps->entries[i].fd = tm_close(maps->entries[i].fd);
	for (uint32_t i = 0; i < PERF_MAPS_EARLY; i++)
		maps->early[i].fd = tm_close(maps->early[i].fd);
}

void perf_maps_answer(void *context, const struct tm_wire *message, int fd)
{
	struct perf_maps_early answer = {
		.fd = fd, .tgid = message->number, .ktime = message->value};

	if (fd < 0)
		answer.reason =
			(uint8_t)(message->form < TM_NO_FILE_N ? message->form : TM_NO_FILE_ERROR);
	take_or_keep(context, answer);
}

void perf_maps_round(struct perf_maps *maps, uint64_t released)
{
	retry_early(maps);
	for (uint32_t i = 0; maps->open && i < PERF_MAPS_MAX; i++)
		if (maps->entries[i].fd >= 0)
			advance(maps, i, released);
}

void perf_maps_end_interval(struct perf_maps *maps, uint64_t released)
{
	retry_early(maps);
	for (uint32_t i = 0; maps->open && i < PERF_MAPS_MAX; i++) {
		struct perf_maps_entry *entry = &maps->entries[i];
		struct process *process =
			entry->fd < 0 ? NULL : process_of_key(maps->processes, &entry->key);

		if (process)
			begin_version(maps, entry, process, released);
	}
}
