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
 *            HotSpot: the tables that vmStructs.cpp makes of each build; what they lack from
 *            share/code/{nmethod,codeBlob,pcDesc,scopeDesc}.hpp, share/utilities/unsigned5.hpp,
 *            share/runtime/stubCodeGenerator.hpp and cpu/x86/frame_x86.hpp of each version.
 */

#include <stdint.h>

#define TM_RUNTIME_LOOPS_MAX 4u
#define TM_RUNTIME_NONE      0xffffu /* a field that this version has not */

enum tm_runtime_kind {
	TM_RUNTIME_PYTHON = 1, /* CPython */
	TM_RUNTIME_JAVA = 2,   /* HotSpot */
	TM_RUNTIME_N,
};

/* The lowest bit of a method number (shared/event.h): the function is one of HotSpot's. Also where
 * the frame has no number. */
#define TM_RUNTIME_NUMBER_JAVA 1u

/* The place in a METHOD frame without number that stands for a function of CPython up to 3.10: the
 * list of these ended before the loops did. So the first loop of the stack, which is about to begin
 * or to return, has been given the function of the second one, and so on to this one. */
#define TM_RUNTIME_PLACE_LATE (TM_FRAME_PLACE_MAX - 1)

/* Which frames of the interpreter belong to one frame of its evaluation loop. */
enum tm_python_entry {
	TM_PYTHON_ONE,   /* one (to 3.10) */
	TM_PYTHON_FLAG,  /* up to the one whose byte frame_owner is not zero (3.11: is_entry) */
	TM_PYTHON_OWNER, /* up to one, not shown, whose byte frame_owner is owner_entry (3.12 on) */
	TM_PYTHON_ENTRY_N,
};

/* tm_python.flags */
#define TM_PYTHON_INDEX (1u << 0) /* frame_instruction is an int, not an address */
#define TM_PYTHON_CHAIN (1u << 1) /* each loop has a _PyCFrame on the stack (3.10 to 3.12) */
#define TM_PYTHON_CALLS (1u << 2) /* the loop calls a function, in the file, for each instruction */
#define TM_PYTHON_FLAGS (TM_PYTHON_INDEX | TM_PYTHON_CHAIN | TM_PYTHON_CALLS)

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
	uint16_t thread_frame;   /* TM_RUNTIME_NONE with chain_frame */
	uint16_t thread_chain;   /* TM_RUNTIME_NONE without TM_PYTHON_CHAIN */
	uint16_t chain_frame;    /* _PyCFrame.current_frame; TM_RUNTIME_NONE but for 3.11, 3.12 */
	uint16_t chain_previous; /* _PyCFrame.previous; TM_RUNTIME_NONE without TM_PYTHON_CHAIN */
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
	/* Where each thread has its own copy of the instructions (3.14, free-threaded); otherwise
	 * TM_RUNTIME_NONE: */
	uint16_t frame_copy;  /* which one frame_instruction is in, an int; 0: code_instructions */
	uint16_t code_copies; /* co_tlbc: the address of their number and, behind it, addresses */
};

/* Where an nmethod has the debug information that tells what is inlined. */
enum tm_java_scopes {
	TM_JAVA_OFFSETS,   /* behind it: nmethod_scopes is an int, from its start (8) */
	TM_JAVA_ADDRESS,   /* the same, but nmethod_scopes is an address (9 to 22) */
	TM_JAVA_IMMUTABLE, /* in memory of its own, at the address nmethod_immutable; the metadata
			    * in its data, which begin blob_data from its start (23, 24) */
	TM_JAVA_MUTABLE,   /* the same, but metadata at the address nmethod_mutable, behind
			    * blob_relocations bytes (25 on) */
	TM_JAVA_SCOPES_N,
};

/* tm_java.flags */
#define TM_JAVA_ONE_HEAP  (1u << 0) /* state is where the address of the only CodeHeap is (8) */
#define TM_JAVA_FLAGS     TM_JAVA_ONE_HEAP

#define TM_JAVA_PC_BYTES  16 /* sizeof(PcDesc): pc_offset and scope_decode_offset come first */
#define TM_JAVA_BYTE_ZERO 20 /* from this version on, numbers of 5 bytes have no byte that is 0 */

/*
 * state is where the address of the GrowableArray of CodeHeaps is. Fields are of the structure in
 * the name; a field that has its width in bytes beside it is an unsigned number of 2, 4 or 8 bytes,
 * and of 8 it is an address, else a distance from the start of the structure.
 */
struct tm_java {
	/* Like tm_runtime.state, the address of StubCodeDesc::_list; 0: not known, nor stub_*. */
	int64_t stubs;
	/* Likewise AbstractInterpreter::_code; 0: not known, nor queue_codelets and codelet_*. */
	int64_t codelets;
	uint16_t scopes; /* enum tm_java_scopes */
	uint16_t flags;  /* TM_JAVA_* */
	uint16_t array_length;
	uint16_t array_data;
	uint16_t heap_low;      /* CodeHeap: of the blobs; _memory._low */
	uint16_t heap_high;     /* _memory._high_boundary: where it can never grow beyond */
	uint16_t heap_segments; /* _segmap._low */
	uint16_t heap_shift;    /* _log2_segment_size, an int */
	uint16_t block_used;    /* HeapBlock: not 0 for a block with a blob */
	uint16_t block_bytes;
	uint16_t blob_name;           /* CodeBlob: address of a C string */
	uint16_t blob_frame_words;    /* _frame_size, an int */
	uint16_t blob_complete;       /* _frame_complete_offset, from the code; signed */
	uint16_t blob_complete_bytes; /* 2 or 4 */
	uint16_t blob_code;
	uint16_t blob_code_bytes;
	uint16_t blob_data;        /* int; TM_RUNTIME_NONE but for TM_JAVA_IMMUTABLE */
	uint16_t blob_relocations; /* int; TM_RUNTIME_NONE but for TM_JAVA_MUTABLE */
	uint16_t nmethod_method;   /* Method* */
	uint16_t nmethod_compile_id;
	uint16_t nmethod_original_pc; /* _orig_pc_offset, an int, from sp */
	uint16_t nmethod_deopt;       /* the deopt handler */
	uint16_t nmethod_deopt_bytes; /* 2 or 4 from the start of the nmethod, or 8 */
	uint16_t nmethod_immutable;   /* address; TM_RUNTIME_NONE to 22 */
	uint16_t nmethod_mutable;     /* address; TM_RUNTIME_NONE to 24 */
	uint16_t nmethod_pcs;         /* int: the PcDescs, from the nmethod or the immutable data */
	uint16_t nmethod_pcs_end;     /* int: likewise */
	uint16_t nmethod_scopes;
	uint16_t nmethod_metadata; /* from the nmethod (int, to 22), from its data (16 bits, 23 and
				    * 24); TM_RUNTIME_NONE from 25 on */
	uint16_t method_const;     /* Method._constMethod */
	uint16_t const_pool;       /* ConstMethod._constants */
	uint16_t const_words;      /* _constMethod_size, an int: all of it in words of 8 bytes */
	uint16_t const_flags;      /* 16 bits */
	uint16_t const_lines;      /* the flag that says that there is a line table */
	uint16_t const_code_bytes; /* _code_size, 16 bits; the line table follows the code */
	uint16_t const_name;       /* _name_index, 16 bits */
	uint16_t const_signature;  /* _signature_index, 16 bits */
	uint16_t const_code;       /* sizeof(ConstMethod): where its code begins */
	uint16_t pool_holder;      /* ConstantPool._pool_holder */
	uint16_t pool_entries;     /* sizeof(ConstantPool) */
	uint16_t pool_file;        /* _source_file_name_index, 16 bits; or TM_RUNTIME_NONE and: */
	uint16_t class_file;       /* InstanceKlass._source_file_name_index, 16 bits; or the same */
	uint16_t class_name;       /* Klass._name */
	uint16_t symbol_length;    /* Symbol: 16 bits */
	uint16_t symbol_text;
	int16_t frame_method; /* of an interpreter's frame, in words from its frame pointer */
	int16_t frame_code;   /* likewise: the address of the current bytecode */
	uint16_t stub_next;   /* StubCodeDesc */
	uint16_t stub_name;   /* address of a C string */
	uint16_t stub_begin;
	uint16_t stub_end;       /* behind the last byte */
	uint16_t queue_codelets; /* StubQueue: address of the first one; each follows the other */
	uint16_t codelet_bytes;  /* InterpreterCodelet: an int, with its head */
	uint16_t codelet_name;   /* address of a C string */
	uint16_t pad[2];
};

struct tm_runtime_code { /* start <= offset < end */
	uint32_t start;
	uint32_t end;
};

struct tm_runtime {
	uint32_t kind;    /* enum tm_runtime_kind */
	uint32_t version; /* 0x030b is 3.11; of Java 17 */
	/* Added to the address at which offset 0 of the file would be, if all of it were mapped
	 * like its code: the address of the runtime's state (_PyRuntime, CodeCache::_heaps). */
	int64_t state;
	struct tm_runtime_code loops[TM_RUNTIME_LOOPS_MAX]; /* the interpreter; unused: 0, 0 */
	union {
		struct tm_python python;
		struct tm_java java;
	};
};

_Static_assert(sizeof(struct tm_python) == 68, "layout");
_Static_assert(sizeof(struct tm_java) == 128, "layout");
_Static_assert(sizeof(struct tm_runtime) == 176, "layout");
