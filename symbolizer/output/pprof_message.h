/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pprof_message - a report as the linked structs that protobuf-c packs
 *
 * Shape      location id = frame + 1, mapping id = segment + 1; what only this format needs comes
 *            behind them: truncation frames; mappings for the frames of a file that are in none of
 *            its segments, for the anonymous memory of each process, and the synthetic one.
 *            mapping[0] is what readers call the main binary: the executable when one process was
 *            recorded, else a synthetic one.
 * Identity   readers unite what looks the same: anonymous memory is named by its generation, and
 *            samples have a generation's start and exec as labels, since a pid is used again.
 * Owner      borrows the report's strings; the report must outlive the message. The arrays are
 *            the message's; pprof.c makes and ends it, tables and samples fill it.
 */

#include <stddef.h>

#include "profile.pb-c.h"
#include "symbolizer/output/completeness.h"
#include "symbolizer/output/report.h"

#define PPROF_OWNED_MAX  32 /* arrays of one message */
#define PPROF_TEXT_BYTES 64 /* longest text made here, except the completeness line */

/* Strings that the report does not have, behind its own. */
enum pprof_extra {
	PPROF_SAMPLES,
	PPROF_COUNT,
	PPROF_CPU,
	PPROF_OFF_CPU_SAMPLES,
	PPROF_OFF_CPU,
	PPROF_NANOSECONDS,
	PPROF_PID,
	PPROF_PROCESS_START,
	PPROF_EXEC_ID,
	PPROF_TID,
	PPROF_COMM,
	PPROF_CGROUP,
	PPROF_CONTAINER,
	PPROF_POD,
	PPROF_TRUNCATED,
	PPROF_THREAD_STATE,
	PPROF_COMPLETENESS,
	PPROF_MAIN, /* name of the synthetic mapping */
	PPROF_STOP_WORDS,
	PPROF_STOP_FRAMES = PPROF_STOP_WORDS + TM_STOP_N,
	PPROF_STATES = PPROF_STOP_FRAMES + TM_STOP_N,
	PPROF_EXTRA_N = PPROF_STATES + TM_THREAD_STATES_N,
};

struct pprof_message {
	Pprof__Profile profile;
	const struct report *report;
	uint64_t *function_ids;      /* of each call */
	uint64_t *stop_function_ids; /* of `[truncated: reason]`, and of `[no frames]` */
	uint64_t *mapping_ids;       /* of each frame; 0: none */
	int64_t *file_names;         /* of each file: string */
	int64_t *anonymous_names;    /* of the anonymous memory of each process: string; 0: none */
	char completeness[COMPLETENESS_BYTES];
	char texts[PPROF_EXTRA_N][PPROF_TEXT_BYTES];
	void *owned[PPROF_OWNED_MAX];
	unsigned owned_count;
	int error; /* 0 or -ENOMEM, the first */
};

/* A zeroed array that the message owns, or NULL; the failure is kept in the message. */
void *pprof_take(struct pprof_message *message, size_t count, size_t bytes);

/* String index of one of ours. */
static inline int64_t pprof_extra(const struct pprof_message *message, unsigned which)
{
	return (int64_t)message->report->string_count + which;
}

/*
 * Where a sample has its count and, behind it, its value: on-CPU's come last, since some readers
 * show the last type first.
 */
static inline unsigned pprof_column(const struct report *report, unsigned kind)
{
	return 2 * (unsigned)__builtin_popcount(report->kinds >> kind >> 1);
}

/* Values of a sample, 0 for those of other kinds. */
static inline unsigned pprof_columns(const struct report *report)
{
	return 2 * (unsigned)__builtin_popcount(report->kinds);
}

/* Location of `[truncated: reason]`; of `[no frames]` for TM_STOP_NONE. */
static inline uint64_t pprof_stop_location(const struct pprof_message *message, unsigned stop)
{
	return (uint64_t)message->report->frame_count + 1 + stop;
}

/* pprof_strings.c; first: the others refer to them */
void pprof_fill_strings(struct pprof_message *message);
/* pprof_mappings.c */
void pprof_fill_mappings(struct pprof_message *message);
/* pprof_locations.c */
void pprof_fill_functions(struct pprof_message *message);
void pprof_fill_locations(struct pprof_message *message); /* after functions and mappings */
/* pprof_samples.c */
void pprof_fill_samples(struct pprof_message *message);
