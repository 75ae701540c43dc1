/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * request - makes OTLP requests of built reports, and describes what a report says, row by row
 */

#include <stddef.h>
#include <stdint.h>

#include "symbolizer/output/report.h"

#define REQUEST_PARTS_MAX 4096u

struct request_part {
	uint8_t *bytes;
	size_t count;
};

struct request {
	struct request_part parts[REQUEST_PARTS_MAX];
	size_t count;
};

/* In parts of at most @most bytes, or of one sample. */
void request_make(struct request *request, const struct report *report, uint64_t most);
void request_free(struct request *request);

/* One text for each distinct sample, sorted, with sums: equal for reports that say the same. */
struct request_rows {
	char **items;
	size_t count;
};

void request_describe(struct request_rows *rows, const struct report *report);
void request_rows_free(struct request_rows *rows);
/* Fails the test at the first row that differs. */
void request_assert_same(const struct request_rows *wanted, const struct request_rows *found);
