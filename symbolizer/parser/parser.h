/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * parser - the messages between the symbolizer and its parser
 *
 * Shape      a SEQPACKET socket with fixed-size messages. A request is one of them with the file's
 *            descriptor, or with none for the vDSO; as many PART messages follow at once as it says
 *            (`parts`), each with one more descriptor. One RESULT answers it, with a sealed blob
 *            when its status is PARSER_OK. PARSER_OPEN_MAX requests may be open.
 * Requests   ROWS: the unwind table of the file, or of the vDSO without one; the result is that of
 *            shared/unwind_table.h. SYMBOLS: the whole symbol table, likewise; if `count` is 1,
 *            with the CRC of the file. LINES: functions, inlined calls and source lines, of DWARF
 *            and, where that has none, of Go's table; one part, a sealed blob of `count` ascending
 *            virtual addresses of 64 bits; a second part is the separate debug file, or the file
 *            again, whose build id must be the file's
 *            (else PARSER_REFUSED); a third one is the file that several debug files share (dwz),
 *            whose build id must be the one that the file with the DWARF names (likewise).
 *            DEMANGLE: no file; one part, a sealed blob of `count` NUL-ended names. PERF_MAP: the
 *            functions that a JIT compiler wrote into the file (jit/perf_map.h); the result is that
 *            of SYMBOLS. JITDUMP: the same with times (jit/jitdump.h); the result is a
 *            parser_code_table.
 * Time       PARSER_AT_ONCE requests are to be younger than PARSER_SLOW_MS, PARSER_SLOW_MAX may be
 *            older: so files that hang do not keep others from being parsed. One more ends the
 *            oldest.
 * Memory     a request says what its worker may use. PARSER_MEMORY means that it did not suffice.
 * Trust      once the parser has read a file it is taken for hostile: its blob is checked as a
 *            whole before use (names/symbol_table.c, names/lines_check.c, tm_unwind_table_check),
 *            and its client keeps a deadline.
 */

#include <stdint.h>

#define PARSER_AT_ONCE       2u   /* requests, each with its worker, */
#define PARSER_SLOW_MAX      4u   /* and more of them that are older than */
#define PARSER_SLOW_MS       3000 /* wall time */
#define PARSER_OPEN_MAX      (PARSER_AT_ONCE + PARSER_SLOW_MAX)
#define PARSER_PARTS_MAX     3u    /* of a request */
#define PARSER_ABANDONED_MAX 8u    /* workers that do not die: then a request ends the parser */
#define PARSER_DEADLINE_MS   30000 /* wall time of a worker; its CPU time: worker.h */
#define PARSER_OFFSETS_MAX   (1u << 20)  /* in a request */
#define PARSER_NAMES_MAX     (64u << 20) /* bytes of names in a result */
#define PARSER_NAME_MAX      4096u       /* bytes of one name; a longer one is truncated */
#define PARSER_BUILD_ID_MAX  64u
#define PARSER_HTLHASH_BYTES 16
#define PARSER_MEMORY_MOST   (1u << 30) /* bytes of one worker */

enum parser_kind {
	PARSER_PART = 3,
	PARSER_ROWS = 4,    /* `count` is 0 */
	PARSER_SYMBOLS = 5, /* `count` is 0, or 1: with the file's CRC */
	PARSER_LINES = 6,
	PARSER_DEMANGLE = 7,
	PARSER_PERF_MAP = 8, /* `count`: MiB of the file that are read at most */
	PARSER_JITDUMP = 9,  /* `count` is 0 */
	PARSER_RESULT = 16,
};

enum parser_status {
	PARSER_OK = 0,
	PARSER_NOT_ELF,   /* or another class, byte order or machine */
	PARSER_TOO_LARGE, /* a limit of image.h */
	PARSER_CHANGED,   /* the file changed while it was read */
	PARSER_MALFORMED, /* headers that contradict the file */
	PARSER_FAILED,    /* reading failed; inside the parser also: memory is short */
	PARSER_MEMORY,    /* the worker's memory did not suffice */
	PARSER_CPU,       /* nor did its CPU time */
	PARSER_CRASHED,   /* the worker ended without an answer */
	PARSER_TIMEOUT,   /* the worker was killed at its deadline */
	PARSER_ABANDONED, /* as before, but it did not die (a hung file system) */
	PARSER_REFUSED,   /* no worker could be started, or an invalid request */
	PARSER_STATUS_N,
};

struct parser_message {
	uint32_t kind;   /* enum parser_kind */
	uint32_t id;     /* of the request; in a RESULT, of the request it answers */
	uint32_t count;  /* of what a part holds; 0 in a RESULT */
	uint32_t parts;  /* descriptors that follow a request; 0 elsewhere */
	uint32_t status; /* of a RESULT: enum parser_status */
	uint32_t cpu_ms; /* of a RESULT: what its worker used, rounded up; of LINES: what it may use
			  * at most, 0: no more than others */
	uint32_t memory_kib; /* of a request: what its worker may use; 0: PARSER_MEMORY_MOST */
	uint32_t pad;
};

/* MiB of a perf map, by default and at most: its worker's memory bounds it. */
#define PARSER_PERF_MAP_MIB     64u
#define PARSER_PERF_MAP_MIB_MAX 512u

#define PARSER_NO_NAME          0xffffffffu

/*
 * The result of SYMBOLS: header, segments in the order of their offsets, symbols in that of their
 * addresses, names. Neither segments nor symbols overlap, and none is empty. A symbol that another
 * one interrupts goes on behind that as a second range; ranges have the same `name` only if they
 * are of one symbol.
 */
#define PARSER_SYMBOLS_MAGIC     0x32534d54u /* "TMS2" */
#define PARSER_SEGMENTS_MAX      4096u
#define PARSER_SYMBOLS_MAX       (2u << 20)   /* ranges */
#define PARSER_SYMBOLS_NAMES_MAX (128u << 20) /* bytes */

enum parser_symbols_flag {
	PARSER_SYMBOLS_HAS_SYMTAB = 1 << 0, /* names came from .symtab, */
	PARSER_SYMBOLS_HAS_DYNSYM = 1 << 1,
	PARSER_SYMBOLS_HAS_MINIDEBUG = 1 << 2, /* .gnu_debugdata, */
	PARSER_SYMBOLS_HAS_PLT = 1 << 3,       /* stubs: name@plt, */
	PARSER_SYMBOLS_HAS_PCLNTAB = 1 << 4,   /* Go's table */
	PARSER_SYMBOLS_HAS_DWARF = 1 << 5,     /* there are .debug_info and .debug_line */
	PARSER_SYMBOLS_MALFORMED = 1 << 6,     /* a part that makes no sense was left out */
	PARSER_SYMBOLS_TRUNCATED = 1 << 7,     /* a limit was met: names are missing */
	PARSER_SYMBOLS_HAS_GO_LINES = 1 << 8,  /* LINES reads lines in it */
};

struct parser_symbol_table {
	uint32_t magic;
	uint32_t flags; /* enum parser_symbols_flag */
	uint32_t segment_count;
	uint32_t symbol_count;
	uint32_t name_bytes;
	uint32_t build_id_bytes;
	uint8_t build_id[PARSER_BUILD_ID_MAX];
	uint32_t debuglink; /* file name of a separate debug file, into the names; PARSER_NO_NAME */
	uint32_t debuglink_crc;
	uint32_t altlink; /* path of a file that dwz made, into the names; PARSER_NO_NAME */
	uint32_t altlink_build_id_bytes;
	uint8_t altlink_build_id[PARSER_BUILD_ID_MAX];
	uint32_t has_crc;
	uint32_t crc;         /* of the whole file, as in .gnu_debuglink */
	uint32_t go_build_id; /* its text, into the names; PARSER_NO_NAME */
	uint32_t has_htlhash;
	uint8_t htlhash[PARSER_HTLHASH_BYTES]; /* of the file (elf/htlhash.h) */
};

struct parser_segment {
	uint64_t offset;
	uint64_t vaddr;
	uint64_t bytes; /* in the file */
	uint32_t flags; /* PF_* */
	uint32_t pad;
};

struct parser_symbol {
	uint64_t start; /* vaddr */
	uint32_t bytes;
	uint32_t name; /* into the names */
};

/*
 * The result of JITDUMP: header, codes, spans, versions, lines, names. A code is what lay at an
 * address from one time until another one. Spans are in the order of their addresses and do not
 * overlap; each has at least one version: a code that covers all of it, in the order of their
 * times. The last that had begun by then is what lay there, unless it had ended.
 */
#define PARSER_CODES_MAGIC       0x314a4d54u /* "TMJ1" */
#define PARSER_CODES_MAX         (512u << 10)
#define PARSER_CODE_SPANS_MAX    (2 * PARSER_CODES_MAX)
#define PARSER_CODE_VERSIONS_MAX (2u << 20)
#define PARSER_CODE_LINES_MAX    (2u << 20)
#define PARSER_CODE_NAMES_MAX    (64u << 20) /* bytes */

enum parser_codes_flag {
	PARSER_CODES_OTHER_CLOCK = 1, /* its times are not CLOCK_MONOTONIC's: nothing was read */
	PARSER_CODES_MALFORMED = 2,   /* something that makes no sense was left out */
	PARSER_CODES_TRUNCATED = 4,   /* a limit was met: codes are missing */
	PARSER_CODES_FLAGS_ALL = 7,
};

struct parser_code_table {
	uint32_t magic;
	uint32_t flags; /* enum parser_codes_flag */
	uint32_t code_count;
	uint32_t span_count;
	uint32_t version_count; /* each a u32: an index of a code */
	uint32_t line_count;
	uint32_t name_bytes; /* the last is a NUL */
	uint32_t pid;        /* of whoever wrote the file, in its own PID namespace */
};

struct parser_code {
	uint64_t start;
	uint64_t from;       /* ns of CLOCK_MONOTONIC */
	uint64_t until;      /* it was moved elsewhere then; UINT64_MAX: it was not */
	uint32_t bytes;      /* never 0 */
	uint32_t name;       /* into the names */
	uint32_t first_line; /* its lines, in the order of their offsets */
	uint32_t line_count;
};

struct parser_code_span {
	uint64_t start;
	uint32_t bytes; /* never 0 */
	uint32_t first_version;
};

struct parser_code_line { /* what begins at `offset` of a code */
	uint32_t offset;
	uint32_t line; /* 0: unknown */
	uint32_t path; /* into the names */
};

/* The result of LINES: header, places in the order of the addresses, calls, then names. */
#define PARSER_LINES_MAGIC    0x314c4d54u /* "TML1" */
#define PARSER_CALLS_MAX      (4u << 20)  /* in a result */
#define PARSER_LINES_NAME_MAX (64u << 10) /* bytes of a mangled name or a path; cut beyond */

enum parser_lines_flags {
	PARSER_LINES_HAS_DWARF = 1,   /* .debug_info was there */
	PARSER_LINES_SPLIT_DEBUG = 2, /* a unit's functions are in a .dwo, which is not opened */
	PARSER_LINES_ALT_MISSING = 4, /* names are in a file that several share (dwz) */
	PARSER_LINES_TRUNCATED = 8,   /* a limit was met: something is missing */
	PARSER_LINES_MALFORMED = 16,  /* something was left out */
	PARSER_LINES_HAS_GO = 32,     /* Go's table was there, and has lines */
	PARSER_LINES_FLAGS_ALL = 63,
};

struct parser_line_table {
	uint32_t magic;
	uint32_t place_count; /* as in the request */
	uint32_t call_count;
	uint32_t name_bytes; /* the last is a NUL */
	uint32_t flags;
	uint32_t build_id_bytes; /* of the file that was read: the debug file, if there is one; */
	uint8_t build_id[PARSER_BUILD_ID_MAX]; /* 0: it has none */
};

struct parser_place {
	uint32_t first_call;
	uint32_t call_count; /* 0: nothing is known there */
};

/* Innermost first; the last is of the function that was not inlined. */
struct parser_call {
	uint32_t function;   /* into the names, or PARSER_NO_NAME: linkage name, else plain name */
	uint32_t file;       /* of `line`: a path, likewise */
	uint32_t line;       /* 0: unknown */
	uint32_t start_line; /* of the function's declaration; 0: unknown */
};
/*
 * The result of DEMANGLE: header; for each name, in the order of the request, where its text lies
 * in the texts (u32), or PARSER_NO_NAME: it is not a mangled name; texts, each NUL-terminated.
 */
#define PARSER_DEMANGLE_MAGIC     0x31444d54u /* "TMD1" */
#define PARSER_DEMANGLE_MAX       4096u       /* names in a request */
#define PARSER_DEMANGLE_BYTES_MAX (PARSER_DEMANGLE_MAX * (PARSER_NAME_MAX + 1u)) /* of them */
#define PARSER_DISPLAY_MAX        4096u /* bytes of a text; a longer one is cut, with a mark */

struct parser_demangled {
	uint32_t magic;
	uint32_t count; /* as in the request */
	uint32_t text_bytes;
	uint32_t pad;
};
