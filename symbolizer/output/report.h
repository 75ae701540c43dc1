/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report - one finished profile in memory, named, as every output writer sees it
 *
 * Shape      flat arrays that refer to each other by index; string 0 is "". All strings are valid
 *            UTF-8 without control characters (C0, DEL, C1); they are still hostile text to any
 *            format with a syntax of its own.
 * Owner      report_build.c builds and frees it; writers only read.
 * Limits     indices are u32 and in range; the builder guarantees it, writers need not check.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/event.h"
#include "shared/result.h"
#include "symbolizer/profile/sample_kind.h"

enum report_kind { /* colours of the page; suffix _[k] of the folded text */
	REPORT_KERNEL,
	REPORT_NATIVE,
	REPORT_RUNTIME,
	REPORT_UNRESOLVED,
};

enum report_lines { /* which functions have file and line behind their names in folded text */
	REPORT_LINES_PYTHON,
	REPORT_LINES_ALL, /* of language runtimes */
	REPORT_LINES_NONE,
};

struct report_file {
	uint32_t path;        /* string: as the kernel gave it; a module's name for the kernel */
	uint32_t base;        /* string: last component */
	uint32_t build_id;    /* string: hex, or "" */
	uint32_t go_build_id; /* string, or "" */
	uint32_t htlhash;     /* string: hex, or "": the file was not read */
	bool has_symbols;
	bool is_kernel;
	bool is_go; /* it has Go's table of functions */
	bool deleted;
	uint8_t no_file; /* enum tm_no_file, where unopened */
	bool unopened;
	uint8_t pad[6];
	uint32_t first_segment; /* into report.segments */
	uint32_t segment_count; /* all executable ones; 0: not known */
};
#define REPORT_NO_FILE 0xffffffffu

struct report_segment { /* executable, of one file; a file's segments ascend by offset */
	uint64_t vaddr;
	uint64_t bytes;  /* never 0 */
	uint64_t offset; /* in the file */
};
#define REPORT_NO_SEGMENT 0xffffffffu

struct report_call {          /* one function at one place; a frame is a list of them */
	uint32_t name;        /* string: as displayed; basename+0xoffset or [reason] if unnamed */
	uint32_t system_name; /* string: as in the symbol table; may be the same */
	uint32_t path;        /* string: source file, or "" */
	uint32_t line;        /* in it, of this place; 0 if not known */
	uint32_t start_line;  /* in it, where the function begins; 0 if not known */
};

struct report_frame { /* one place that was sampled: an exact pc or a return address, never both */
	uint32_t first_call; /* into report.calls; those of one frame only */
	uint32_t call_count; /* at least 1: innermost first, the last one is not inlined */
	uint32_t file;       /* index, or REPORT_NO_FILE */
	uint32_t segment;    /* that holds it, into report.segments, or REPORT_NO_SEGMENT */
	uint32_t process;    /* of anonymous code: index, or REPORT_NO_PROCESS */
	uint8_t kind;        /* enum report_kind */
	bool unnamed;        /* the name of its last call is basename+0xoffset or [reason] */
	bool is_return;      /* address is one byte before a return address: inside the call */
	uint8_t runtime;     /* of REPORT_RUNTIME: enum tm_runtime_kind; 0: not known */
	/* Virtual address in its segment; without one the file offset, 0 for none. */
	uint64_t address;
};
#define REPORT_NO_PROCESS 0xffffffffu

struct report_stack {   /* leaf first, kernel frames before user frames */
	uint32_t first; /* into report.stack_frames */
	uint32_t count;
};

struct report_process {     /* one generation */
	uint32_t tgid;      /* in the initial PID namespace */
	uint32_t reuse;     /* 0: the only one of its tgid; else 1, 2, ... by start, then exec */
	uint32_t ns_tgid;   /* in its own */
	uint32_t comm;      /* string, of the leader */
	uint32_t exe;       /* string, path or "" */
	uint32_t cgroup;    /* string, path or "" */
	uint32_t owner;     /* string: the begin of that (profile/owner.h) */
	uint32_t container; /* string, id or "" (container.h) */
	uint32_t pod;       /* string, uid or "" */
	uint32_t context;   /* string: what it says of itself, an attribute list, or "" */
	uint32_t exec_id;
	uint32_t euid; /* when it was announced */
	uint64_t start_boottime;
	uint8_t missing; /* enum process_context_missing: of `context` */
};

struct report_sample {
	uint32_t process;
	uint32_t tid;
	uint32_t comm; /* string: the thread's name at the instants */
	uint32_t stack;
	uint8_t stop;   /* enum tm_stop: user stop, else kernel stop; TM_STOP_NONE: complete */
	uint8_t kind;   /* enum tm_sample_kind */
	uint8_t state;  /* enum tm_thread_state; of an off-CPU sample shown above its leaf */
	bool woken;     /* its stack goes on with the state and its waker's frames */
	uint32_t flags; /* TM_FLAG_EXITING, TM_FLAG_KTHREAD; REPORT_SAMPLE_BASE */
	uint64_t count;
	uint64_t value; /* ns, of all of them */
};
#define REPORT_SAMPLE_BASE (1u << 31) /* of a comparison: of what the others are compared with */

struct report_off_cpu { /* completeness of off-CPU samples, in samples and ns */
	uint64_t taken, taken_ns;
	uint64_t exported, exported_ns;
	uint64_t drops[TM_DROP_N];
	uint64_t drops_ns[TM_DROP_N];
	uint64_t truncated[TM_STOP_N];
	uint64_t times, times_ns; /* that threads were observed without a CPU */
	uint64_t untracked;       /* context switches of threads without a state */
	uint64_t unseen_ns;       /* sleeps whose waking was not seen: waits for a CPU among them */
	uint64_t in_progress, in_progress_ns;
	uint64_t woken;       /* samples with the stack of who ended the sleep */
	uint64_t wakers_lost; /* such stacks that were dropped */
};

struct report_thread {    /* how a thread spent the interval, or several together */
	uint32_t process; /* REPORT_NO_PROCESS: of several */
	uint32_t tid;     /* 0: several threads */
	uint32_t comm;    /* string */
	uint32_t threads; /* how many it stands for */
	uint64_t lifetime_ns;
	uint64_t ns[TM_THREAD_STATES_N]; /* add up to the lifetime, as far as they are known */
};

enum report_grouping {       /* whose samples one resource of an OTLP request has */
	REPORT_BY_PROCESS,   /* one generation's */
	REPORT_BY_CONTAINER, /* those of a service in one container, or in none */
	REPORT_BY_SERVICE,   /* those of a service */
};

struct report_attribute {
	const char *key; /* unique, and none of a process (otlp_resource.c) */
	const char *value;
};

struct report_resource {          /* what every resource says */
	const char *service_name; /* of all processes; "": each has its own (otlp_services.h) */
	enum report_grouping grouping;
	uint32_t attribute_count;
	const struct report_attribute *attributes; /* of host and deployment; clean, as strings */
};

struct budget;

struct report {
	const char *const *strings;
	const struct report_file *files;
	const struct report_segment *segments;
	const struct report_call *calls;
	const struct report_frame *frames;
	const uint32_t *stack_frames;
	const struct report_stack *stacks;
	const struct report_process *processes;
	const struct report_sample *samples;
	const struct report_thread *threads; /* with off-CPU samples alone */
	uint32_t string_count, file_count, segment_count, call_count, frame_count;
	uint32_t stack_frame_count, stack_count, process_count, sample_count, thread_count;
	bool threads_missing;      /* the collector did not say what threads do */
	bool threads_absent;       /* nothing is known of what threads do */
	const struct report *base; /* of a comparison: the sums and counts of REPORT_SAMPLE_BASE */
	struct sample_sum sums[TM_SAMPLE_KINDS_N]; /* of the samples */
	uint32_t kinds; /* that were recorded, sampled or not: bits by enum tm_sample_kind */
	enum tm_sample_kind shown; /* in the list of functions */
	enum report_lines folded_lines;
	uint64_t hz;
	uint64_t period_ns;     /* of the recording: what an on-CPU sample stands for at its rate */
	uint64_t start_unix_ns; /* CLOCK_REALTIME */
	uint64_t duration_ns;
	const char *title;                      /* for the page: host, command line */
	const struct report_resource *resource; /* borrowed; NULL: as if it was empty */
	struct budget *memory; /* borrowed: for what grows while it is written; NULL: no limit */
	/* completeness, of on-CPU samples */
	uint64_t taken, exported;
	uint64_t drops[TM_DROP_N];
	uint64_t truncated[TM_STOP_N];
	uint64_t unresolved[TM_UNRESOLVED_N]; /* frames without a mapping */
	uint64_t unopened[TM_NO_FILE_N];      /* files */
	uint64_t unnamed[TM_UNNAMED_N];       /* the unnamed frames by reason */
	uint64_t merged;                      /* samples whose stacks lost frames, for memory */
	uint64_t lines;                       /* frames with a source line */
	uint64_t no_line[TM_NO_LINE_N];       /* frames that might have one, by reason */
	uint64_t not_run;
	uint64_t thinned; /* hits that other samples stand for (bpf/owner_time.bpf.h) */
	uint64_t weight_ns[TM_WEIGHTS_N]; /* time in which a sample stood for 2^index periods */
	uint64_t frames_shown, unnamed_frames, late_records;
	struct report_off_cpu off_cpu;
};

/* Whether the state of a sample's thread is shown above its leaf. */
static inline bool report_sample_ends_in_state(const struct report_sample *sample)
{
	return sample->state != TM_THREAD_ON_CPU && !sample->woken;
}

static inline bool report_has(const struct report *report, enum tm_sample_kind kind)
{
	return report->kinds >> kind & 1;
}

/* The function that the others of a frame are inlined into, or its only one. */
static inline const struct report_call *report_outermost(const struct report *report,
							 const struct report_frame *frame)
{
	return &report->calls[frame->first_call + frame->call_count - 1];
}

/*
 * Samples, for formats with a column of them: readers multiply it by the period. So an on-CPU
 * sample of a time when the rate was lowered counts as the samples that it stands for, rounded.
 */
static inline uint64_t report_samples(const struct report *report,
				      const struct report_sample *sample)
{
	uint64_t unit = report->period_ns;

	if (sample->kind != TM_SAMPLE_ON_CPU || !unit)
		return sample->count;
	return sample->value / unit + (sample->value % unit >= unit - unit / 2);
}

/*
 * A sum of values of the kind that is shown, for formats without units: on-CPU samples of full
 * weight, as flame graph tools expect them; ns of any other kind.
 */
static inline uint64_t report_number(const struct report *report, uint64_t value)
{
	uint64_t unit =
		report->shown == TM_SAMPLE_ON_CPU && report->period_ns ? report->period_ns : 1;

	return value / unit + (value % unit >= unit - unit / 2);
}

struct output_file; /* output_file.h: buffered writing to one descriptor, first error kept */

/* Each writes one whole file. Return: 0, -errno (first write or memory error). */
int folded_write(struct output_file *out, const struct report *report);
int pprof_write(struct output_file *out, const struct report *report);
int speedscope_write(struct output_file *out, const struct report *report);
int html_write(struct output_file *out, const struct report *report);
int otlp_write(struct output_file *out, const struct report *report);
int table_write(struct output_file *out, const struct report *report);
