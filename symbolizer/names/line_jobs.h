/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * line_jobs - has the parser read the source lines that reports have missed (line_requests.h)
 *
 * Descriptor the collector opens the file once more (FILE_AGAIN), also after END. Of one that has
 *            no debug information itself, it opens the separate debug file and what that shares
 *            with others (debug_files.h). They are closed with the parser's answer.
 * Identity   a file that is not in its announced state before it is read and after gives no lines
 *            (parser_client.h). A debug file must bear the file's build id (line_requests.h).
 * CPU        LINE_JOBS_PERCENT of one CPU since the recording began, with LINE_JOBS_FIRST_MS
 *            beforehand, and LINE_JOBS_LAST_MS at most saved up; the last report's requests have
 *            LINE_JOBS_LAST_MS of their own. A request that costs more than is left delays the
 *            next ones.
 * Order      while a recording runs, one at a time, and only while no other file is to be parsed.
 * Wait       never.
 * Threads    the reader's.
 */

#include <stdbool.h>

#include "symbolizer/base/parser_client.h"
#include "symbolizer/names/debug_files.h"
#include "symbolizer/names/line_requests.h"
#include "symbolizer/profile/files.h"

#define LINE_JOBS_PERCENT  2
#define LINE_JOBS_FIRST_MS 1000
#define LINE_JOBS_LAST_MS  10000
#define LINE_JOBS_OPEN_MS  5000 /* for the collector's answer */

enum line_jobs_state {
	LINE_JOBS_FREE,
	LINE_JOBS_BEGUN,
	LINE_JOBS_OPENING,     /* the collector was asked for the file, */
	LINE_JOBS_OPENING_OWN, /* for its debug file, */
	LINE_JOBS_OPENING_ALT, /* and for what that shares */
	LINE_JOBS_OPEN,        /* the descriptor is here */
	LINE_JOBS_PARSING,
};

struct line_jobs_slot { /* one file */
	enum line_jobs_state state;
	struct tm_identity identity;
	const uint64_t *vaddrs; /* borrowed from line_requests */
	uint32_t count;
	uint32_t file;   /* index */
	uint32_t number; /* of FILE_AGAIN, as `value` is */
	uint64_t value;
	bool separate;    /* `fd` is the debug file's */
	int fd;           /* owned; -1: none */
	int alternate;    /* likewise: what several debug files share */
	int64_t begun_ms; /* of its state */
};

struct line_jobs {
	struct files *files; /* borrowed, as are the others */
	struct debug_files *debug;
	struct line_requests *requests;
	struct parser_client *parser;
	int wire;
	bool last;          /* the last report's */
	int64_t left_us;    /* CPU time, may be negative */
	int64_t counted_ms; /* since when it has not grown */
	struct line_jobs_slot slots[PARSER_OPEN_MAX];
};

/* It listens to @debug, which is to be there already. */
void line_jobs_init(struct line_jobs *jobs, struct debug_files *debug,
		    struct line_requests *requests);
void line_jobs_deinit(struct line_jobs *jobs);
/* A collector_link_fn. */
bool line_jobs_reopened(void *context, uint32_t number, uint64_t value, int fd);
/* @serves: the collector answers. */
void line_jobs_round(struct line_jobs *jobs, bool serves);
