/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * line_requests_files - of which files lines are missed, at which addresses, and how much
 *
 * Limits     LINE_REQUESTS_FILES: a further one takes the place of the one that is missed least, if
 *            that is less than itself; LINE_REQUESTS_PLACES for all files together.
 * Threads    one at a time.
 */

#include <stdbool.h>

#include "shared/result.h"
#include "symbolizer/names/parser_requests.h"

#define LINE_REQUESTS_MISSES_PER_MS 10u /* a miss: one frame of one sample */
#define LINE_REQUESTS_FIRST_MS      20u /* is expected of the first request */
#define LINE_REQUESTS_ANY_COST      UINT32_MAX
#define LINE_REQUESTS_FILES         4096u
#define LINE_REQUESTS_PLACES        PARSER_OFFSETS_MAX

enum line_requests_state {
	LINE_REQUESTS_IDLE,
	LINE_REQUESTS_ASKED,
	LINE_REQUESTS_HAVE, /* the result is here */
};

struct line_requests_build_id {
	uint32_t bytes; /* 0: the file has none */
	uint8_t id[PARSER_BUILD_ID_MAX];
};

struct line_requests_file {
	struct tm_identity identity;
	struct line_requests_build_id build_id;
	uint64_t *wanted; /* owned; ascending vaddrs, each once */
	uint64_t *asked;  /* owned; the same of the request that is under way, or has its result */
	uint32_t wanted_count, asked_count;
	int result; /* owned: the parser's blob; -1: none */
	int64_t next_ms;
	uint64_t misses;  /* since the last request */
	uint32_t cpu_ms;  /* of the last request that gave something, or LINE_REQUESTS_FIRST_MS */
	uint8_t state;    /* enum line_requests_state */
	uint8_t failures; /* in a row */
	uint8_t reason;   /* enum tm_no_line: why the last request gave nothing */
};

struct line_requests_files {
	struct line_requests_file *items;
	uint32_t count;
	uint64_t places; /* wanted and asked, of all */
};

enum {
	LINE_REQUESTS_E_NONE = 1,
	LINE_REQUESTS_E_FULL = 2,
};

void line_requests_files_deinit(struct line_requests_files *files);
/* Return: NULL: it is not there. */
struct line_requests_file *line_requests_files_find(const struct line_requests_files *files,
						    const struct tm_identity *identity);
/* As line_requests_want. */
int line_requests_files_want(struct line_requests_files *files, const struct tm_identity *identity,
			     const struct line_requests_build_id *build_id, const uint64_t *vaddrs,
			     uint32_t count, uint64_t misses);
void line_requests_files_drop_asked(struct line_requests_files *files,
				    struct line_requests_file *file);
/* Whether samples lack enough for what the next request will cost. */
bool line_requests_file_is_worth_it(const struct line_requests_file *file);
