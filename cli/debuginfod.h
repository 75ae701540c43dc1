/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debuginfod - starts tidemark-debuginfod, which fetches debug files for one symbolizer
 *
 * Another symbolizer gets another one.
 */

#include "cli/debuginfod_urls.h"
#include "cli/symbolizer_child.h"

#define DEBUGINFOD_LOST "no more debug files are fetched from servers"

/*
 * Starts it if there is a server. @program: descriptor of tidemark-debuginfod, the caller's.
 * Return: the symbolizer's end of its socket; -1: there is none.
 */
int debuginfod_start(struct symbolizer_child *debuginfod, const struct debuginfod_urls *urls,
		     int program, struct uid_pool_account account);
