/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_jobs - has the parser read the source lines that reports have missed (line_requests.h)
 */

#include "symbolizer/names/line_jobs.h"

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/region.h"
#include "symbolizer/profile/file_queue.h"

static int64_t now_ms(void)
{
	return (int64_t)tm_clock_ms();
}

static void end_slot(struct line_jobs_slot *slot)
{
	(void)tm_close(slot->fd);
	(void)tm_close(slot->alternate);
	*slot = (struct line_jobs_slot){.fd = -1, .alternate = -1};
}

void line_jobs_deinit(struct line_jobs *jobs)
{
	if (!jobs->parser)
		return;
	parser_client_cancel(jobs->parser, jobs);
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++)
		end_slot(&jobs->slots[i]);
}

static void fail(struct line_jobs *jobs, struct line_jobs_slot *slot, enum tm_no_line reason)
{
	line_requests_fail(jobs->requests, &slot->identity, reason, now_ms());
	end_slot(slot);
}

/* --- CPU time --------------------------------------------------------------------------------- */

static void count_time(struct line_jobs *jobs)
{
	const int64_t now = now_ms();

	if (!jobs->last && line_requests_is_last(jobs->requests)) {
		jobs->last = true;
		jobs->left_us = LINE_JOBS_LAST_MS * 1000;
	}
	if (!jobs->last)
		jobs->left_us += (now - jobs->counted_ms) * LINE_JOBS_PERCENT * 10;
	if (jobs->left_us > LINE_JOBS_LAST_MS * 1000)
		jobs->left_us = LINE_JOBS_LAST_MS * 1000;
	jobs->counted_ms = now;
}

/* --- the descriptor --------------------------------------------------------------------------- */

bool line_jobs_reopened(void *context, uint32_t number, uint64_t value, int fd)
{
	struct line_jobs *jobs = context;

	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++) {
		struct line_jobs_slot *slot = &jobs->slots[i];

		if (slot->state != LINE_JOBS_OPENING || slot->number != number ||
		    (fd >= 0 && slot->value != value))
			continue;
		if (fd < 0) {
			fail(jobs, slot, TM_NO_LINE_NOT_OPENED);
			return true;
		}
		slot->fd = fd;
		slot->state = LINE_JOBS_OPEN;
		return true;
	}
	return false;
}

/* The file that a debug file shares with others is read if it is there. */
static void ask_for_alternate(struct line_jobs *jobs, struct line_jobs_slot *slot)
{
	slot->state = LINE_JOBS_OPENING_ALT;
	if (debug_files_request(jobs->debug, slot->file, DEBUG_FILES_ALT))
		slot->state = LINE_JOBS_OPEN;
}

/* A debug_files_fn. */
static void on_debug_file(void *context, uint32_t file, enum debug_files_kind kind, int fd,
			  enum tm_no_file reason)
{
	_cleanup_(tm_closep) int owned = fd;
	struct line_jobs *jobs = context;
	const enum line_jobs_state state =
		kind == DEBUG_FILES_OWN ? LINE_JOBS_OPENING_OWN : LINE_JOBS_OPENING_ALT;

	(void)reason;
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++) {
		struct line_jobs_slot *slot = &jobs->slots[i];

		if (slot->state != state || slot->file != file)
			continue;
		if (kind == DEBUG_FILES_ALT) {
			slot->alternate = TM_TAKE_FD(owned);
			slot->state = LINE_JOBS_OPEN;
		} else if (owned < 0) {
			fail(jobs, slot, TM_NO_LINE_NO_DEBUG_INFO);
		} else {
			slot->fd = TM_TAKE_FD(owned);
			ask_for_alternate(jobs, slot);
		}
		return;
	}
}

void line_jobs_init(struct line_jobs *jobs, struct debug_files *debug,
		    struct line_requests *requests)
{
	*jobs = (struct line_jobs){
		.files = debug->files,
		.debug = debug,
		.requests = requests,
		.parser = debug->parser,
		.wire = debug->wire,
		.left_us = LINE_JOBS_FIRST_MS * 1000,
		.counted_ms = now_ms(),
	};
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++)
		jobs->slots[i].fd = jobs->slots[i].alternate = -1;
	debug_files_listen(debug, on_debug_file, jobs);
}

/* Its build id alone proves a debug file. */
static void ask_for_debug_file(struct line_jobs *jobs, struct line_jobs_slot *slot,
			       const struct symbol_debug_links *links)
{
	int r = DEBUG_FILES_E_NONE;

	if (links->build_id_bytes)
		r = debug_files_request(jobs->debug, slot->file, DEBUG_FILES_OWN);
	if (r == DEBUG_FILES_E_NONE) {
		fail(jobs, slot, TM_NO_LINE_NO_DEBUG_INFO);
	} else if (r == 0) {
		slot->separate = true;
		slot->state = LINE_JOBS_OPENING_OWN;
	}
}

static void ask_collector(struct line_jobs *jobs, struct line_jobs_slot *slot)
{
	const uint32_t own = PARSER_SYMBOLS_HAS_DWARF | PARSER_SYMBOLS_HAS_GO_LINES;
	struct symbol_debug_links links;

	slot->file = files_of_identity(jobs->files, &slot->identity);
	if (slot->file == FILES_NONE ||
	    symbol_debug_links(jobs->debug->store, &slot->identity, &links)) {
		fail(jobs, slot, TM_NO_LINE_NOT_OPENED);
	} else if (!(links.flags & own)) {
		ask_for_debug_file(jobs, slot, &links);
	} else {
		slot->state = LINE_JOBS_OPENING;
		if (file_queue_ask_again(jobs->files, slot->file, jobs->wire, &slot->number,
					 &slot->value))
			fail(jobs, slot, TM_NO_LINE_NOT_OPENED);
	}
}

/* --- the parser ------------------------------------------------------------------------------- */

static void on_answer(void *context, uint32_t at, struct parser_client_answer *answer)
{
	struct line_jobs *jobs = context;
	struct line_jobs_slot *slot = &jobs->slots[at];

	const int64_t cpu_ms = answer->cpu_ms ? answer->cpu_ms : now_ms() - slot->begun_ms;

	jobs->left_us -= 1000 * cpu_ms;
	if (answer->failure == TM_PARSE_CHANGED) {
		fail(jobs, slot, TM_NO_LINE_CHANGED);
	} else if (answer->fd < 0) {
		fail(jobs, slot, TM_NO_LINE_NOT_PARSED);
	} else {
		line_requests_put(jobs->requests, &slot->identity, TM_TAKE_FD(answer->fd),
				  (uint32_t)cpu_ms);
		end_slot(slot);
	}
}

static void ask_parser(struct line_jobs *jobs, struct line_jobs_slot *slot)
{
	_cleanup_(tm_closep) int part = tm_region_seal_blob("tidemark-addresses", slot->vaddrs,
							    slot->count * sizeof(*slot->vaddrs));
	const struct parser_client_request request = {
		.kind = PARSER_LINES,
		.target = slot->fd,
		.identity = slot->separate ? NULL : &slot->identity,
		.parts = {part, slot->fd, slot->alternate},
		.part_count = slot->alternate < 0 ? 1 : 3,
		.count = slot->count,
		.cpu_ms =
			jobs->last && jobs->left_us > 0 ? (uint32_t)(jobs->left_us / 1000) + 1 : 0,
		.value = (uint32_t)(slot - jobs->slots),
		.context = jobs,
		.fn = on_answer,
	};
	int r;

	slot->state = LINE_JOBS_PARSING;
	slot->begun_ms = now_ms();
	r = part < 0 ? PARSER_CLIENT_E_NONE : parser_client_ask(jobs->parser, &request);
	if (r)
		fail(jobs, slot,
		     r == PARSER_CLIENT_E_CHANGED ? TM_NO_LINE_CHANGED : TM_NO_LINE_NOT_PARSED);
}

/* --- round ------------------------------------------------------------------------------------ */

/* Whether a file may be begun. */
static bool may_begin(const struct line_jobs *jobs)
{
	const int64_t slow_ms = now_ms() - PARSER_SLOW_MS;
	unsigned used = 0, prompt = 0;

	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++) {
		const struct line_jobs_slot *slot = &jobs->slots[i];
		bool is_slow = slot->state == LINE_JOBS_PARSING && slot->begun_ms <= slow_ms;

		used += slot->state != LINE_JOBS_FREE;
		prompt += slot->state != LINE_JOBS_FREE && !is_slow;
	}
	if (jobs->last)
		return used < PARSER_OPEN_MAX && prompt < PARSER_AT_ONCE;
	return used < PARSER_OPEN_MAX && prompt == 0 && !file_queue_has_tables(jobs->files) &&
	       !file_queue_has_symbols(jobs->files);
}

static struct line_jobs_slot *free_slot(struct line_jobs *jobs)
{
	struct line_jobs_slot *slot = jobs->slots;

	while (slot->state != LINE_JOBS_FREE)
		slot++;
	return slot;
}

static void advance(struct line_jobs *jobs, struct line_jobs_slot *slot, bool serves)
{
	if (slot->state > LINE_JOBS_FREE && slot->state < LINE_JOBS_OPEN &&
	    (!serves || now_ms() - slot->begun_ms > LINE_JOBS_OPEN_MS))
		fail(jobs, slot, TM_NO_LINE_NOT_OPENED);
	else if (slot->state == LINE_JOBS_BEGUN)
		ask_collector(jobs, slot);
	else if (slot->state == LINE_JOBS_OPEN && jobs->parser->socket < 0)
		fail(jobs, slot, TM_NO_LINE_NOT_PARSED);
	else if (slot->state == LINE_JOBS_OPEN && parser_client_is_ready(jobs->parser))
		ask_parser(jobs, slot);
}

static void begin_files(struct line_jobs *jobs, bool serves)
{
	struct line_requests_result due;

	while (jobs->left_us > 0 && may_begin(jobs) &&
	       line_requests_take(jobs->requests, now_ms(), &due) == 0) {
		struct line_jobs_slot *slot = free_slot(jobs);

		*slot = (struct line_jobs_slot){.identity = due.identity,
						.vaddrs = due.vaddrs,
						.count = due.count,
						.state = LINE_JOBS_BEGUN,
						.begun_ms = now_ms(),
						.fd = -1,
						.alternate = -1};
		advance(jobs, slot, serves);
	}
}

void line_jobs_round(struct line_jobs *jobs, bool serves)
{
	count_time(jobs);
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++)
		advance(jobs, &jobs->slots[i], serves);
	begin_files(jobs, serves);
	line_requests_set_exhausted(jobs->requests, jobs->left_us <= 0);
}
