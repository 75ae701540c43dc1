/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * compiled - compiles a file's unwind table, checks it, and measures the time
 */

#include <stdint.h>

#include "shared/unwind_table.h"
#include "symbolizer/parser/unwind_compile.h"

struct compiled {
	struct result_blob table;
	struct tm_unwind_table_view view;
	uint64_t cpu_ns;
	uint64_t file_bytes;
};

/* Return: an enum parser_status; -EBADMSG when the table does not pass its check. */
int compiled_open(struct compiled *compiled, int fd);
void compiled_close(struct compiled *compiled);
