/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once
/*
 * runtime - what the unwinder must know of a language runtime to walk its frames
 *
 * Shape      one unit behind the pages of the unwind table (shared/unwind_table.h) of the file that
 *            has the runtime's code; TM_UNWIND_TABLE_RUNTIME says that there is one.
 * Units      places of code: offsets in the file, as in the table. Fields: bytes from the start of
 *            the structure that the comment names.
 * Trust      made by the parser from a hostile file, and not checked by the collector, which knows
 *            nothing of runtimes: the unwinder takes any contents. With false ones it reads other
 *            memory of the sampled process than meant, a bounded number of bytes, into METHOD
 *            records and frames of that process; they steer no walk.
 * Limits     TM_RUNTIME_LOOPS_MAX; fields below 64 KiB.
 * Source     CPython: Include/internal/pycore_frame.h, pycore_runtime.h, pycore_interp.h,
 *            Include/cpython/code.h, pystate.h, unicodeobject.h of each version.
 */

#include <stdint.h>

#define TM_RUNTIME_LOOPS_MAX 4u
#define TM_RUNTIME_NONE      0xffffu /* a field that this version has not */

enum tm_runtime_kind {
	TM_RUNTIME_PYTHON = 1, /* CPython */
	TM_RUNTIME_N,
};

/* Which frames of the interpreter belong to one frame of its evaluation loop. */
enum tm_python_entry {
	TM_PYTHON_ONE,   /* one (to 3.10) */
	TM_PYTHON_FLAG,  /* up to the one whose byte frame_owner is not zero (3.11: is_entry) */
	TM_PYTHON_OWNER, /* up to one, not shown, whose byte frame_owner is owner_entry (3.12 on) */
	TM_PYTHON_ENTRY_N,
};

/* tm_python.flags */
#define TM_PYTHON_INDEX (1u << 0) /* frame_instruction is an int, not an address */
#define TM_PYTHON_CHAIN (1u << 1) /* thread_frame is a _PyCFrame's address, 3.11 and 3.12 */
#define TM_PYTHON_FLAGS (TM_PYTHON_INDEX | TM_PYTHON_CHAIN)

struct tm_python {
	uint16_t entry; /* enum tm_python_entry */
	uint16_t flags; /* TM_PYTHON_* */
	uint16_t owner_entry;
	uint16_t unit_shift;           /* frame_instruction counts bytes, 1, or code units, 0 */
	uint16_t runtime_interpreters; /* _PyRuntimeState.interpreters.head */
	uint16_t interpreter_next;     /* PyInterpreterState */
	uint16_t interpreter_threads;  /* of the first PyThreadState */
	uint16_t thread_previous;      /* PyThreadState */
	uint16_t thread_next;
	uint16_t thread_interpreter;
	uint16_t thread_id;
	uint16_t thread_frame;
	uint16_t chain_frame; /* _PyCFrame.current_frame; TM_RUNTIME_NONE without TM_PYTHON_CHAIN */
	uint16_t chain_previous; /* _PyCFrame.previous; likewise */
	uint16_t frame_previous; /* PyFrameObject (to 3.10), _PyInterpreterFrame */
	uint16_t frame_code;
	uint16_t frame_instruction; /* f_lasti, prev_instr, instr_ptr */
	uint16_t frame_owner;       /* TM_RUNTIME_NONE with TM_PYTHON_ONE */
	uint16_t code_file;         /* PyCodeObject.co_filename */
	uint16_t code_name;         /* co_qualname, or co_name (to 3.10) */
	uint16_t code_lines;        /* co_linetable, or co_lnotab (to 3.9) */
	uint16_t code_first_line;
	uint16_t code_instructions; /* co_code_adaptive; TM_RUNTIME_NONE with TM_PYTHON_INDEX */
	uint16_t string_length;     /* PyASCIIObject */
	uint16_t string_hash;
	uint16_t string_state;
	uint16_t
		string_ascii; /* bytes of PyASCIIObject: where the text of an ASCII string begins */
	uint16_t string_wide; /* bytes of PyCompactUnicodeObject: likewise of any other one */
	uint16_t bytes_length; /* PyBytesObject */
	uint16_t bytes_data;
	uint16_t string_kind; /* bit of string_state at which its kind begins */
	uint16_t pad;
};

struct tm_runtime_code { /* start <= offset < end */
	uint32_t start;
	uint32_t end;
};

struct tm_runtime {
	uint32_t kind;    /* enum tm_runtime_kind */
	uint32_t version; /* 0x030b is 3.11 */
	/* Added to the address at which offset 0 of the file would be, if all of it were mapped
	 * like its code: the address of the runtime's state (_PyRuntime). */
	int64_t state;
	struct tm_runtime_code loops[TM_RUNTIME_LOOPS_MAX]; /* the interpreter; unused: 0, 0 */
	struct tm_python python;
};

_Static_assert(sizeof(struct tm_python) == 64, "layout");
_Static_assert(sizeof(struct tm_runtime) == 112, "layout");
