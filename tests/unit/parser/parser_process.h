/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * parser_process - the real parser as a child of a unit test; include it behind cmocka.h
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "shared/child.h"

static const char *program; /* its path, which main() sets */
static struct tm_child parser;
static int (*prepare_parser)(void); /* as of tm_child_start() */

static int start_parser(void **state)
{
	int fd = open(program, O_PATH | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(tm_child_start(&parser, fd, "tidemark-parser", prepare_parser), 0);
	(void)close(fd);
	return 0;
}

static int stop_parser(void **state)
{
	uint64_t cpu_ns, rss_bytes;

	tm_child_stop(&parser, &cpu_ns, &rss_bytes);
	assert_true(rss_bytes > 0);
	return 0;
}

/* The first worker, also one that has answered and not ended yet; 0: there is none. */
static inline pid_t first_worker(void)
{
	char path[64], children[32] = "";
	int list;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", parser.pid, parser.pid);
	list = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(read(list, children, sizeof(children) - 1) >= 0);
	(void)close(list);
	return (pid_t)strtol(children, NULL, 10);
}
