/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debug_files - gets separate debug files from the collector, for symbols and for lines
 *
 * Shape      TM_PATHS_IN_FLIGHT slots, each for one file: what its symbol table names is asked for
 *            in turn, the build id, then the debug link, until a descriptor comes.
 * Symbols    a file without a .symtab is asked for by itself. The symbols of its debug file lie
 *            above its own in the symbol store, once its build id, and for a link its CRC, match.
 * Lines      debug_files_request hands a descriptor over. What was read from it is not checked yet:
 *            the build id in the result of the parser must be that of the sampled file.
 * Again      a while after a vain attempt (symbol_debug_end) a file that is still sampled is asked
 *            for again: a debug file that was installed meanwhile is found. No report waits for
 *            that.
 * Servers    what this host does not have is left to debug_fetches, for symbols alone.
 * Limits     DEBUG_FILES_QUEUE files wait; one that finds no place is asked for after the pause.
 * Trust      the descriptor is open for reading, of a regular file that belongs to root or to the
 *            owner of the sampled file. What is in it is hostile.
 * Threads    the reader's.
 */

#include "symbolizer/base/parser_client.h"
#include "symbolizer/names/debug_fetches.h"
#include "symbolizer/names/symbol_debug.h"
#include "symbolizer/profile/files.h"

#define DEBUG_FILES_SCAN_MS 5000 /* between two looks for files whose pause is over */
#define DEBUG_FILES_QUEUE   256u

enum debug_files_kind {
	DEBUG_FILES_OWN, /* the separate debug file */
	DEBUG_FILES_ALT, /* that which several debug files share (dwz) */
};

enum {
	DEBUG_FILES_E_NONE = 1,  /* it names none, or none is wanted */
	DEBUG_FILES_E_LATER = 2, /* its symbol table is not there, or too much is asked for */
};

/* The answer to one debug_files_request. Takes @fd. @fd: -1: there is none, for @reason. */
typedef void (*debug_files_fn)(void *context, uint32_t file, enum debug_files_kind kind, int fd,
			       enum tm_no_file reason);

enum debug_files_stage {
	DEBUG_FILES_FREE = 0,
	DEBUG_FILES_TO_SEND,
	DEBUG_FILES_SENT,
	DEBUG_FILES_TO_PARSE,
	DEBUG_FILES_PARSING,
};

struct debug_files_item {
	uint32_t file; /* index */
	struct tm_identity identity;
};

struct debug_files_slot {
	enum debug_files_stage stage;
	struct debug_files_item item;
	enum debug_files_kind kind;
	enum tm_debug_form form;
	bool for_lines;
	uint32_t number; /* of the file, when it was asked for */
	uint64_t value;
	uint32_t request; /* id of the message */
	int fd;           /* owned; TO_PARSE, PARSING: the debug file */
	struct symbol_debug_links links;
};

struct debug_files {
	struct files *files;          /* borrowed */
	struct symbol_store *store;   /* borrowed */
	struct parser_client *parser; /* borrowed */
	int wire;                     /* borrowed */
	bool enabled;
	struct debug_files_slot slots[TM_PATHS_IN_FLIGHT];
	struct debug_files_item queue[DEBUG_FILES_QUEUE];
	uint32_t head, tail; /* free-running */
	uint32_t next_request;
	int64_t scanned_ms;
	struct debug_fetches *fetches; /* borrowed: what is not here; NULL: nothing is fetched */
	debug_files_fn fn;             /* NULL: nobody listens */
	void *context;
	uint64_t found, missing, refused; /* debug files; refused: not those of their file */
};

/* @enabled: else nothing is asked for. */
void debug_files_init(struct debug_files *debug, struct files *files, struct symbol_store *store,
		      struct parser_client *parser, int wire, bool enabled);
void debug_files_deinit(struct debug_files *debug);
/* The symbol table of @identity has come. @file: its index; FILES_NONE: it has none any more. */
void debug_files_add(struct debug_files *debug, uint32_t file, const struct tm_identity *identity);
/* An OPENED message. Takes @fd. */
void debug_files_opened(struct debug_files *debug, const struct tm_wire *message, int fd);
/* Asks, parses, looks for what is due. @serves: the collector still answers. */
void debug_files_round(struct debug_files *debug, bool serves);

/* Who gets the answers to debug_files_request; one. */
void debug_files_listen(struct debug_files *debug, debug_files_fn fn, void *context);
/*
 * @file: index in `files`. The answer comes later, once.
 * Return: 0, DEBUG_FILES_E_NONE, DEBUG_FILES_E_LATER.
 */
int debug_files_request(struct debug_files *debug, uint32_t file, enum debug_files_kind kind);
