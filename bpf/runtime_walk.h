/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * runtime_walk - what the walk over the frames of a language runtime keeps in scratch memory
 */

#include <linux/types.h>

#include "shared/bpf_state.h"
#include "shared/runtime.h"

/* So that an element of one or two cache lines does not take one more. */
#define CACHE_LINE_ALIGNED __attribute__((aligned(64)))

enum method_kind {
	METHOD_PYTHON,
	METHOD_JAVA,
	METHOD_JAVA_STUB,    /* code that the JVM has made for itself, */
	METHOD_JAVA_CODELET, /* and a part of its interpreter */
};

/*
 * What a method is known by; all of it is read from the process with each frame. Here for CPython,
 * where bpf/java_method.bpf.h has other things for Java.
 */
struct method_key {
	__u64 start_boottime;
	__u32 tgid;
	__u32 exec_id;
	__u64 code; /* addresses */
	__u64 file;
	__u64 lines;
	__u64 name;
	__u64 name_hash; /* as the runtime keeps it */
	__u32 first_line;
	__u32 kind; /* enum method_kind */
};

struct method_state {
	__u64 number;
	__u32 epoch;   /* in which it was announced */
	__u32 next_ms; /* of 2^20 ns: not again before, since not all of it was in memory */
	__u32 wait_ms; /* that it waits the next time */
	__u32 part;    /* of its line table that is announced next (method_part()) */
};

struct method_share { /* what owners have of a CPU (method_share.bpf.h) */
	__u64 ready;  /* ktime at which they have used no more numbers than their rate */
	__u32 second; /* of 2^30 ns: in which they have spent: */
	__u32 spent;  /* ns */
	__u32 turn;   /* in which they have written: */
	__u32 bytes;
};
#define METHOD_SHARES 256 /* a power of two */

#define METHODS_DUE   64 /* a power of two; what does not fit waits for its next sample */

/* What each walk sets or looks at, even one that meets no runtime: so it lies in one place. */
struct runtimes {
	__u64 python_table;    /* of the file that has it; 0: none was met in this walk */
	__u32 python_inside;   /* its frames are being walked */
	__u32 methods_due;     /* of method_walk.due */
	__u64 java_table;      /* of the file that was looked at last, whether it has a JVM */
	__u32 java_file;       /* number of a file with one that this sample has met; 0: none */
	__u32 java_begun;      /* the runtime was sought in this walk */
	__u32 java_known;      /* and found */
	__u32 java_inside;     /* methods of the current frame are still to be put */
	__u32 java_lost;       /* the current frame is of the JVM, but its caller is not known */
	__u32 java_by_call;    /* the leaf was a stub whose caller was found by its call */
	__u32 java_stubs_left; /* descriptions that this sample may still look at */
	__u32 pad;
};

struct method_walk {
	struct method_key key;
	__u32 epoch;   /* in which the function that was looked up last was announced; 0: in none */
	__u32 part;    /* of the line table, in the record that is being made, */
	__u32 before;  /* and the epoch in which all of it was announced last */
	__u32 unsaid;  /* times that a number was not given, or a METHOD is still to come */
	__u64 room;    /* bytes of METHOD records that this level may still write in this turn, */
	__u32 turn;    /* which ends when the collector has read all of them */
	__u32 second;  /* of 2^30 ns: in which it has spent: */
	__u64 spent;   /* ns */
	__u64 written; /* position in the ring behind its last one */
	struct method_key due[METHODS_DUE]; /* to be announced behind a sample of the process */
	struct method_share shares[METHOD_SHARES];
};

struct python_code { /* of which the number is known in this walk */
	__u64 code;
	__u64 number;
};
#define PYTHON_CODES 16 /* a power of two */

/* Interpreters that a thread may run within one another. Of more, some have no functions. */
#define PYTHON_INTERPRETERS 4 /* a power of two */

struct python_thread { /* what was found of a thread */
	__u64 start_boottime;
	__u32 tgid;
	__u32 tid;
	__u32 exec_id;
	__u32 searches;    /* samples that the search has taken so far; 0: it begins anew */
	__u64 thread;      /* with this PyThreadState the search goes on, */
	__u64 interpreter; /* and then with this one */
	__u64 found[PYTHON_INTERPRETERS]; /* its PyThreadStates that ran; 0: none */
};
#define PYTHON_THREADS 32 /* a power of two */

struct python_search {
	__u64 thread;      /* the next PyThreadState to look at */
	__u64 interpreter; /* behind its one */
	__u64 number;      /* of the thread that is sought */
	__u64 found[PYTHON_INTERPRETERS];
	__u32 count; /* of those */
	__u32 pad;
};

struct python_frames { /* the innermost of an interpreter in the thread that no loop has had yet */
	__u64 frame;
	__u64 chain; /* _PyCFrame; with TM_PYTHON_CHAIN only */
};

struct python_walk {
	struct tm_runtime runtime;
	__u64 state; /* the address of _PyRuntime */
	struct python_frames frames[PYTHON_INTERPRETERS];
	__u64 frame;       /* the next one of the current loop; 0: it is left */
	__u64 outer;       /* the frame that the next loop of the interpreter begins with */
	__u64 loop;        /* the current loop's own encoded frame */
	__u64 called;      /* likewise, of a function that it calls for an instruction; 0: none */
	__u32 taken;       /* frames of the stack before the current loop's ones */
	__u32 at;          /* in `frames`, of the current loop */
	__u32 tried;       /* of `frames`, for the current loop */
	__u32 loops;       /* that this walk has met */
	__u32 frame_bytes; /* as far as the fields go */
	__u32 code_bytes;
	struct python_search search;
	struct python_code codes[PYTHON_CODES];
	struct python_thread threads[PYTHON_THREADS];
};

struct java_heap { /* a CodeHeap; low 0: none */
	__u64 low;
	__u64 high;
	__u64 segments; /* address of its segment map */
	__u64 shift;    /* log2 of the bytes of a segment */
};
#define JAVA_HEAPS      4  /* a power of two; more than any version has */
#define JAVA_BLOB_WORDS 64 /* a power of two */
#define JAVA_PCS        32 /* PcDescs that are read at once; a power of two */
#define JAVA_BYTES      32 /* a power of two */

struct java_known { /* a method that was met (bpf/java_method.bpf.h) */
	struct tm_process_key process;
	__u64 method;  /* Method*; 0: none */
	__u64 nmethod; /* in whose code; 0: of the interpreter */
	__u64 number;
	__u64 code;       /* where its bytecode begins */
	__u32 bytes;      /* of that */
	__u32 compile_id; /* of the nmethod */
	__u32 walk;       /* in which it was looked up */
	__u32 epoch;      /* in which it was announced */
};
#define JAVA_KNOWN 256 /* a power of two */

/* A place in the code of the JVM (bpf/java_site.bpf.h). */
#define JAVA_SITE_FRAMES 7
#define JAVA_SITE_PART   0xffffffffu /* `bytes` of a stub of many in a blob, */
#define JAVA_SITE_SCOPE  0xfffffffeu /* and of a place in compiled code that no call returns to */
struct java_site {
	struct tm_process_key process;
	__u64 ip;     /* 0: none */
	__u64 blob;   /* address of the nmethod, */
	__u64 method; /* and two fields of it */
	__u32 compile_id;
	__u32 walk;   /* that has made or verified it */
	__u32 until;  /* of 2^30 ns: it stands before that second */
	__u32 unsaid; /* java_unsaid() before it was made */
	__u32 bytes;  /* of the frame; 0: it is one of the interpreter */
	__u32 count;  /* of its METHOD frames */
	__u32 scope;  /* of a leaf, with which `ip` is the address of the nmethod */
	__u32 pad;
	__u64 frames[JAVA_SITE_FRAMES];
};
#define JAVA_SITES 256 /* a power of two */

struct java_stub { /* what is known of some bytes of a process's stubs */
	struct tm_process_key process;
	__u64 begin;
	__u64 end;     /* the same: none */
	__u64 address; /* of their description, or in a search of the next one; 0: there is none */
	__u64 sought;  /* the code that a search is for; 0: it is over */
	__u32 looked_at; /* descriptions, by the search */
	__u32 until_ms;  /* of 2^20 ns: there is none so long */
	__u32 codelets;  /* the search is in the interpreter's */
	__u32 pad;
};
struct java_described { /* what is read of a stub or codelet */
	__u64 begin;
	__u64 end;
	__u64 next;
	__u64 name; /* address */
};
#define JAVA_STUBS       32 /* a power of two */
#define JAVA_STUB_SEARCH 64 /* descriptions that a sample may look at */

struct java_walk {
	struct tm_runtime runtime;
	__u64 start;                   /* address at which offset 0 of its file would be */
	__u64 began;                   /* of the mapping cache with which it was found */
	__u64 met_start;               /* `start` of the file runtimes.java_file */
	__u32 walk;                    /* number of this one, for what is known of others */
	__u32 unsaid;                  /* java_unsaid() before the current frame */
	__u32 heaps_read;              /* in this walk */
	struct tm_process_key process; /* whose heaps these are */
	__u64 heaps_start;             /* its `start` */
	struct java_heap heaps[JAVA_HEAPS];

	__u64 blob; /* the CodeBlob of the current frame, and what it begins with: */
	__u64 words[JAVA_BLOB_WORDS];
	__u64 code;  /* where its code begins */
	__u64 name;  /* the address of its name, */
	__u64 title; /* and the first bytes of that */

	__u64 method;  /* the next frame's Method*, if runtimes.java_inside */
	__u64 nmethod; /* the CodeBlob, if it has that; 0: the interpreter has */
	__u64 scopes;  /* address of the debug information */
	__u64 metadata;
	__u32 place;     /* in the method */
	__u32 scope;     /* where the caller that it is inlined in is described; 0: there is none */
	__u32 frameless; /* the leaf has no frame, as far as the stack tells */
	__u32 byte_at;
	__u32 frame_bytes; /* of compiled code, or JAVA_SITE_SCOPE: its site is kept with that */
	__u32 site_scope;  /* of the current place, */
	__u32 site_until;  /* until when it stands at most, */
	__u32 pad;
	__u64 site_ip;           /* and where that is */
	__u8 bytes[JAVA_BYTES];  /* of the debug information */
	__u64 pcs[2 * JAVA_PCS]; /* PcDescs */
	struct java_known methods[JAVA_KNOWN] CACHE_LINE_ALIGNED;
	struct java_site sites[JAVA_SITES] CACHE_LINE_ALIGNED;
	struct java_stub stubs[JAVA_STUBS];
	struct java_described stub;
	__u32 stubs_taken; /* places of them so far */
};
