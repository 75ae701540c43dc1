/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * jit_files - gets the names of JIT code from the files that sampled processes write them into
 *
 * Shape      one entry per generation and kind, with its descriptor: perf maps come from
 *            perf_maps.h, jitdumps from jitdumps.h. The parser makes a table of the file, which
 *            goes into the symbol store; the process says which version of it is the last.
 * Read       when an interval ends, if the file has changed since, and once more when its process
 *            has exited; and again, if the table was evicted and the file is as it was. It may grow
 *            while it is read: what is missing comes with the next version. After a read that took
 *            the parser more than JIT_FILES_CHEAP_MS of a CPU, or failed after as long a time, the
 *            next one waits JIT_FILES_PAUSE_TIMES as long.
 * Lifetime   a descriptor is closed when the process is retired, or once that has exited and the
 *            place is needed. What was written after the exit is not read.
 * Limits     `max` descriptors.
 * Trust      whoever runs the process writes the file; the parser alone reads it.
 * Threads    the reader's.
 */

#include <stdbool.h>
#include <sys/stat.h>

#include "symbolizer/base/parser_client.h"
#include "symbolizer/names/symbol_store.h"
#include "symbolizer/profile/processes.h"

#define JIT_FILES_MAX         128u
#define JIT_FILES_TRIES       3 /* to read one version: the file may become shorter meanwhile */
#define JIT_FILES_SLACK_NS    10000000 /* the times of files are those of the last tick */
#define JIT_FILES_CHEAP_MS    250
#define JIT_FILES_PAUSE_TIMES 20 /* so a large file takes a twentieth of a CPU */

enum jit_files_kind {
	JIT_FILES_MAP,
	JIT_FILES_DUMP,
	JIT_FILES_KINDS,
};

enum jit_files_state {
	JIT_FILES_IDLE,
	JIT_FILES_WANTED, /* the store waits for `version`, the parser is to be asked */
	JIT_FILES_ASKED,
};

struct jit_files_entry {
	struct tm_process_key key;
	uint64_t ktime;              /* by then it was open */
	int fd;                      /* owned; -1: the entry is free */
	struct statx read;           /* the file's status when `version` was begun */
	uint32_t version;            /* 0: none was begun */
	struct tm_identity identity; /* of `version` */
	int64_t begun_ms;            /* when it was asked for */
	int64_t next_ms; /* no other one is begun before, unless its process has exited */
	uint8_t kind;    /* enum jit_files_kind */
	uint8_t state;   /* enum jit_files_state */
	uint8_t tries;
	bool ended; /* its process has exited, and the last version was begun */
};

struct jit_files {
	struct process_table *processes; /* borrowed, as are the next two */
	struct symbol_store *store;
	struct parser_client *parser;
	struct jit_files_entry entries[JIT_FILES_MAX];
	uint32_t max;      /* JIT_FILES_MAX, or less where descriptors are few */
	uint32_t map_mib;  /* of a perf map that are read at most */
	uint32_t open;     /* entries with a descriptor */
	uint64_t jitdumps; /* process_table.jitdumps, when jitdumps_round looked last */
};

/* Of the table in the store. It is no file: no device has this number. */
struct tm_identity jit_files_identity(const struct process *process, enum jit_files_kind kind,
				      uint32_t version);
/* Return: the process's last version of that file; 0: none was begun. */
uint32_t jit_files_version(const struct process *process, enum jit_files_kind kind);

/* Return: how long a file whose reading cost @read_ms is left alone. */
int64_t jit_files_pause_ms(int64_t read_ms);

void jit_files_init(struct jit_files *jit, struct process_table *processes,
		    struct symbol_store *store, struct parser_client *parser);
void jit_files_deinit(struct jit_files *jit);
/* Return: whether @fd is a regular file, open for reading alone. */
bool jit_files_status(int fd, struct statx *ret_status);
/* When the file was last written, by another clock. */
int64_t jit_files_written_ns(const struct statx *status, clockid_t clock);
/* A later descriptor of the same file is not needed; one of another file takes its place. Takes @fd
 * in any case. Return: whether there was room for it. */
bool jit_files_take(struct jit_files *jit, const struct process *process, enum jit_files_kind kind,
		    int fd);
/* Return: whether the process has a file of this kind here. */
bool jit_files_has(const struct jit_files *jit, const struct process *process,
		   enum jit_files_kind kind);
/* A report missed the table with this identity. Return: whether it is one of these. */
bool jit_files_again(struct jit_files *jit, const struct tm_identity *identity);
/* Asks the parser for what is wanted; closes what is not needed any more. @released: every exit
 * before it is known. */
void jit_files_round(struct jit_files *jit, uint64_t released);
/* Begins to read each file that has changed; the report of the interval waits for that. */
void jit_files_end_interval(struct jit_files *jit, uint64_t released);
