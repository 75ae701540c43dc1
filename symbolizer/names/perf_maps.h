/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * perf_maps - gets the names of JIT code from the perf maps of sampled processes
 *
 * Shape      one entry per generation whose map the collector has opened, with its descriptor. The
 *            parser makes a symbol table of the map, which goes into the symbol store; the process
 *            says which version of it is the last (`map_version`).
 * Read       when an interval ends, if the map has changed since, and once more when its process
 *            has exited; then the descriptor is closed. A map may grow while it is read: what is
 *            missing comes with the next version.
 * Whose      a map belongs to the process if its owner is the process's user, if it has one link,
 *            and if it was last written neither before the process began nor after it had exited,
 *            nor while the same process ran another program. Any other is refused, with the reason.
 * Order      a descriptor may come before the announcement that it answers: it is kept
 *            (PERF_MAPS_EARLY) until that was read, at most for PERF_MAPS_EARLY_MS.
 * Limits     `max` maps; others are refused (TM_NO_FILE_LIMIT).
 * Trust      whoever runs the process writes the map; the parser alone reads it.
 * Threads    the reader's.
 */

#include <stdbool.h>
#include <sys/stat.h>

#include "symbolizer/base/parser_client.h"
#include "symbolizer/names/symbol_store.h"
#include "symbolizer/profile/processes.h"

#define PERF_MAPS_MAX      128u
#define PERF_MAPS_EARLY    32u
#define PERF_MAPS_EARLY_MS 2000
#define PERF_MAPS_TRIES    3 /* to read one version: the map may become shorter meanwhile */

/* A map is no file: no device has this number. */
static inline struct tm_identity perf_maps_identity(const struct process *process, uint32_t version)
{
	return (struct tm_identity){.dev = UINT64_MAX - 1,
				    .ino = (uint64_t)process->tgid << 32 | process->exec_id,
				    .size = process->start_boottime,
				    .generation = version};
}

enum perf_maps_state {
	PERF_MAPS_IDLE,
	PERF_MAPS_WANTED, /* the store waits for `version`, the parser is to be asked */
	PERF_MAPS_ASKED,
};

struct perf_maps_entry {
	struct tm_process_key key;
	uint64_t ktime;              /* by then it was open */
	int fd;                      /* owned; -1: the entry is free */
	struct statx read;           /* the file's status when `version` was begun */
	uint32_t version;            /* 0: none was begun */
	struct tm_identity identity; /* of `version` */
	uint8_t state;               /* enum perf_maps_state */
	uint8_t tries;
	bool ended; /* its process has exited; what is read now is the last version */
};

struct perf_maps_early { /* an answer of the collector whose announcement was not read yet */
	int fd;          /* owned; -1: no map was opened, for `reason` */
	uint32_t tgid;
	uint64_t ktime; /* 0: the place is free */
	int64_t until_ms;
	uint8_t reason; /* enum tm_no_file */
};

struct perf_maps {
	struct process_table *processes; /* borrowed, as are the next two */
	struct symbol_store *store;
	struct parser_client *parser;
	struct perf_maps_entry entries[PERF_MAPS_MAX];
	struct perf_maps_early early[PERF_MAPS_EARLY];
	uint32_t max;     /* PERF_MAPS_MAX, or less where descriptors are few */
	uint32_t open;    /* entries with a descriptor */
	uint32_t waiting; /* early answers */
};

void perf_maps_init(struct perf_maps *maps, struct process_table *processes,
		    struct symbol_store *store, struct parser_client *parser);
void perf_maps_deinit(struct perf_maps *maps);
/* A PERF_MAP message, not validated. @context: the maps. @fd: taken; -1: none. */
void perf_maps_answer(void *context, const struct tm_wire *message, int fd);
/* Asks the parser for what is wanted; closes what is not needed any more. @released: every exit
 * before it is known. */
void perf_maps_round(struct perf_maps *maps, uint64_t released);
/* Begins to read each map that has changed; the report of the interval waits for that. */
void perf_maps_end_interval(struct perf_maps *maps, uint64_t released);
