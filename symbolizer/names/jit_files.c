/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit_files - gets the names of JIT code from the files that sampled processes write them into
 */

#include "symbolizer/names/jit_files.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "shared/cleanup.h"
#include "shared/clock.h"

#define FIRST_DEV (UINT64_MAX - JIT_FILES_KINDS) /* behind it the kinds; then the vDSO's */
#define STATUS_WANTED \
	(STATX_TYPE | STATX_SIZE | STATX_MTIME | STATX_CTIME | STATX_INO | STATX_UID | STATX_NLINK)

static int64_t now_ms(void)
{
	return (int64_t)tm_clock_ms();
}

int64_t jit_files_pause_ms(int64_t read_ms)
{
	return read_ms > JIT_FILES_CHEAP_MS ? JIT_FILES_PAUSE_TIMES * read_ms : 0;
}

struct tm_identity jit_files_identity(const struct process *process, enum jit_files_kind kind,
				      uint32_t version)
{
	return (struct tm_identity){.dev = FIRST_DEV + kind,
				    .ino = (uint64_t)process->tgid << 32 | process->exec_id,
				    .size = process->start_boottime,
				    .generation = version};
}

uint32_t jit_files_version(const struct process *process, enum jit_files_kind kind)
{
	return kind == JIT_FILES_MAP ? process->map_version : process->dump_version;
}

/* --- descriptors ------------------------------------------------------------------------------ */

bool jit_files_status(int fd, struct statx *ret_status)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY && !(flags & O_PATH) &&
	       statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATUS_WANTED, ret_status) == 0 &&
	       S_ISREG(ret_status->stx_mode);
}

static int64_t time_ns(clockid_t clock)
{
	struct timespec now = {0};

	(void)clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t jit_files_written_ns(const struct statx *status, clockid_t clock)
{
	return status->stx_mtime.tv_sec * 1000000000 + status->stx_mtime.tv_nsec -
	       time_ns(CLOCK_REALTIME) + time_ns(clock);
}

static bool is_same_time(const struct statx_timestamp *a, const struct statx_timestamp *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool has_changed(const struct jit_files_entry *entry, const struct statx *now)
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

static void close_entry(struct jit_files *jit, struct jit_files_entry *entry)
{
	if (entry->state == JIT_FILES_WANTED)
		symbol_store_fail(jit->store, &entry->identity, TM_UNNAMED_NOT_PARSED, now_ms());
	entry->fd = tm_close(entry->fd);
	entry->state = JIT_FILES_IDLE;
	jit->open--;
}

static struct tm_process_key key_of(const struct process *process)
{
	return (struct tm_process_key){process->tgid, process->exec_id, process->start_boottime};
}

/* Return: its index, JIT_FILES_MAX. */
static uint32_t find_entry(const struct jit_files *jit, const struct process *process,
			   enum jit_files_kind kind)
{
	const struct tm_process_key key = key_of(process);
	uint32_t i = 0;

	while (i < JIT_FILES_MAX && (jit->entries[i].fd < 0 || jit->entries[i].kind != kind ||
				     memcmp(&jit->entries[i].key, &key, sizeof(key)) != 0))
		i++;
	return i;
}

bool jit_files_has(const struct jit_files *jit, const struct process *process,
		   enum jit_files_kind kind)
{
	return find_entry(jit, process, kind) < JIT_FILES_MAX;
}

/* Return: NULL: there are too many. */
static struct jit_files_entry *new_entry(struct jit_files *jit, const struct process *process,
					 enum jit_files_kind kind)
{
	struct jit_files_entry *entry = NULL;

	for (uint32_t i = 0; i < jit->max; i++) {
		struct jit_files_entry *other = &jit->entries[i];

		if (other->state != JIT_FILES_IDLE)
			continue;
		if (other->fd < 0 || (other->ended && !entry))
			entry = other;
		if (other->fd < 0)
			break;
	}
	if (!entry)
		return NULL;
	if (entry->fd >= 0)
		close_entry(jit, entry);
	*entry = (struct jit_files_entry){
		.key = key_of(process),
		.kind = (uint8_t)kind,
		.version = jit_files_version(process, kind),
	};
	jit->open++;
	return entry;
}

bool jit_files_take(struct jit_files *jit, const struct process *process, enum jit_files_kind kind,
		    int fd)
{
	const uint32_t at = find_entry(jit, process, kind);
	struct jit_files_entry *entry = at < JIT_FILES_MAX ? &jit->entries[at] : NULL;
	_cleanup_(tm_closep) int owned = fd;
	struct statx status, held;

	if (!jit_files_status(owned, &status))
		return false;
	if (entry && jit_files_status(entry->fd, &held) && is_same_file(&held, &status))
		return true;
	if (entry)
		(void)tm_close(entry->fd);
	else
		entry = new_entry(jit, process, kind);
	if (!entry)
		return false;
	entry->read = (struct statx){0};
	entry->ended = false;
	entry->ktime = tm_clock_ns();
	entry->fd = TM_TAKE_FD(owned);
	return true;
}

/* --- the parser ------------------------------------------------------------------------------- */

/* What was read has cost the worker's time alone: beside many other files it waits for long. */
static int64_t cost_ms(const struct jit_files_entry *entry,
		       const struct parser_client_answer *answer)
{
	return answer->failure == TM_PARSE_N ? answer->cpu_ms : now_ms() - entry->begun_ms;
}

/* @at: the entry that asked. A file that became shorter is read once more, as it is now. */
static void on_answer(void *context, uint32_t at, struct parser_client_answer *answer)
{
	struct jit_files *jit = context;
	struct jit_files_entry *entry = &jit->entries[at];

	entry->state = JIT_FILES_IDLE;
	entry->next_ms = now_ms() + jit_files_pause_ms(cost_ms(entry, answer));
	if (answer->failure == TM_PARSE_CHANGED && ++entry->tries < JIT_FILES_TRIES)
		entry->state = JIT_FILES_WANTED;
	else if (answer->failure < TM_PARSE_N)
		symbol_store_fail(jit->store, &entry->identity, TM_UNNAMED_NOT_PARSED, now_ms());
	else if (answer->fd < 0)
		symbol_store_refuse(jit->store, &entry->identity, TM_UNNAMED_MALFORMED);
	else
		symbol_store_put(jit->store, &entry->identity, TM_TAKE_FD(answer->fd), now_ms());
}

static void ask(struct jit_files *jit, uint32_t at)
{
	struct jit_files_entry *entry = &jit->entries[at];
	const struct parser_client_request request = {
		.kind = entry->kind == JIT_FILES_MAP ? PARSER_PERF_MAP : PARSER_JITDUMP,
		.target = entry->fd,
		.count = entry->kind == JIT_FILES_MAP ? jit->map_mib : 0,
		.value = at,
		.context = jit,
		.fn = on_answer,
	};

	entry->state = JIT_FILES_ASKED;
	entry->begun_ms = now_ms();
	if (parser_client_ask(jit->parser, &request) == 0)
		return;
	entry->state = JIT_FILES_IDLE;
	parser_client_count(jit->parser, TM_PARSE_NO_PARSER);
	symbol_store_fail(jit->store, &entry->identity, TM_UNNAMED_NOT_PARSED, now_ms());
}

static void set_version(struct process *process, const struct jit_files_entry *entry)
{
	if (entry->kind == JIT_FILES_MAP)
		process->map_version = entry->version;
	else
		process->dump_version = entry->version;
}

/*
 * Has the file read if it has changed, or if what was made of it is not there any more. Not before
 * it is known (@released) whether its process was gone when it was opened: who writes it after that
 * is another one.
 */
static void begin_version(struct jit_files *jit, struct jit_files_entry *entry,
			  struct process *process, uint64_t released)
{
	struct tm_identity identity;
	struct statx now;
	bool changed;

	if (entry->state != JIT_FILES_IDLE || released < entry->ktime ||
	    (now_ms() < entry->next_ms && !process->exit_ktime) ||
	    !jit_files_status(entry->fd, &now))
		return;
	if (process->exit_ktime && jit_files_written_ns(&now, CLOCK_MONOTONIC) >
					   (int64_t)process->exit_ktime + JIT_FILES_SLACK_NS) {
		process->map_refused = TM_NO_FILE_STALE;
		return;
	}
	changed = !entry->version || has_changed(entry, &now);
	identity = jit_files_identity(process, entry->kind, entry->version + changed);
	if (symbol_store_begin(jit->store, &identity, now_ms()))
		return;
	entry->version += changed;
	entry->identity = identity;
	entry->read = now;
	entry->tries = 0;
	entry->state = JIT_FILES_WANTED;
	set_version(process, entry);
}

static void make_again(struct jit_files *jit, struct jit_files_entry *entry)
{
	struct statx now;

	if (entry->state != JIT_FILES_IDLE || !jit_files_status(entry->fd, &now) ||
	    has_changed(entry, &now) ||
	    symbol_store_begin(jit->store, &entry->identity, now_ms())) {
		symbol_store_give_up(jit->store, &entry->identity);
		return;
	}
	entry->tries = 0;
	entry->state = JIT_FILES_WANTED;
}

bool jit_files_again(struct jit_files *jit, const struct tm_identity *identity)
{
	if (identity->dev < FIRST_DEV || identity->dev >= FIRST_DEV + JIT_FILES_KINDS)
		return false;
	for (uint32_t i = 0; i < JIT_FILES_MAX; i++) {
		struct jit_files_entry *entry = &jit->entries[i];

		if (entry->fd < 0 || memcmp(&entry->identity, identity, sizeof(*identity)) != 0)
			continue;
		make_again(jit, entry);
		return true;
	}
	symbol_store_give_up(jit->store, identity);
	return true;
}

static void advance(struct jit_files *jit, uint32_t at, uint64_t released)
{
	struct jit_files_entry *entry = &jit->entries[at];
	struct process *process = process_of_key(jit->processes, &entry->key);

	if (entry->state == JIT_FILES_IDLE && process && process->exit_ktime && !entry->ended &&
	    released >= entry->ktime) {
		begin_version(jit, entry, process, released);
		entry->ended = true;
	}
	if (entry->state == JIT_FILES_WANTED && process &&
	    (jit->parser->socket < 0 || parser_client_is_ready(jit->parser)))
		ask(jit, at);
	if (!process && entry->state != JIT_FILES_ASKED)
		close_entry(jit, entry);
}

/* --- for all ---------------------------------------------------------------------------------- */

void jit_files_init(struct jit_files *jit, struct process_table *processes,
		    struct symbol_store *store, struct parser_client *parser)
{
	memset(jit, 0, sizeof(*jit)); /* too large for a compound literal */
	jit->processes = processes;
	jit->store = store;
	jit->parser = parser;
	jit->max = JIT_FILES_MAX;
	jit->map_mib = PARSER_PERF_MAP_MIB;
	for (uint32_t i = 0; i < JIT_FILES_MAX; i++)
		jit->entries[i].fd = -1;
}

void jit_files_deinit(struct jit_files *jit)
{
	if (!jit->parser)
		return;
	parser_client_cancel(jit->parser, jit);
	for (uint32_t i = 0; i < JIT_FILES_MAX; i++)
		jit->entries[i].fd = tm_close(jit->entries[i].fd);
}

void jit_files_round(struct jit_files *jit, uint64_t released)
{
	for (uint32_t i = 0; jit->open && i < JIT_FILES_MAX; i++)
		if (jit->entries[i].fd >= 0)
			advance(jit, i, released);
}

void jit_files_end_interval(struct jit_files *jit, uint64_t released)
{
	for (uint32_t i = 0; jit->open && i < JIT_FILES_MAX; i++) {
		struct jit_files_entry *entry = &jit->entries[i];
		struct process *process =
			entry->fd < 0 ? NULL : process_of_key(jit->processes, &entry->key);

		if (process)
			begin_version(jit, entry, process, released);
	}
}
