/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * processes - process generations by (tgid, start_boottime, exec_id) and their attributes
 *
 * A generation is added by the first announcement or sample that names it. The report joins samples
 * and attributes; a generation that was never announced has the name of its thread.
 *
 * Lifetime   a generation is retired one epoch after both its EXIT and its last sample or
 *            announcement; if its EXIT was lost, two epochs after the latter. Each generation has
 *            at most one entry in the retire queue. EXIT alone does not retire it, so samples that
 *            arrive later still find it.
 * Pinned     a generation to which a sample refers keeps its entry and attributes until the sample
 *            is reported, even when it is retired. Later samples may be added to it, because its
 *            key never stands for another generation. process_forget frees retired generations;
 *            without intermediate reports they are kept to the end.
 */

#include <stdbool.h>

#include "shared/event.h"
#include "shared/retire.h"
#include "shared/wire.h"
#include "symbolizer/base/strings.h"

enum process_state {
	PROCESS_FREE, /* the entry is unused */
	PROCESS_LIVE,
	PROCESS_RETIRED, /* but pinned by samples */
};

struct process {
	uint64_t start_boottime;
	uint64_t exit_ktime; /* of its EXIT; 0: none yet */
	uint64_t seen_ktime; /* time of the last sample or announcement */
	uint64_t map_ktime;  /* of the last announcement with TM_FLAG_ANONYMOUS; 0: none */
	uint64_t published;  /* when, as it says, it said what is in `context` */
	uint32_t tgid;
	uint32_t exec_id;
	uint32_t ns_tgid;
	uint32_t euid; /* when it was announced */
	uint32_t comm; /* string, as the next six are */
	uint32_t exe;
	uint32_t cgroup;
	uint32_t owner;        /* the begin of that (owner.h) */
	uint32_t container;    /* its id, from the cgroup path (container.h), or "" */
	uint32_t pod;          /* its uid, likewise */
	uint32_t context;      /* what it says of itself (process_context.h), or "" */
	uint32_t hash;         /* of the key of the generation */
	uint32_t map_version;  /* of its perf map (names/jit_files.h); 0: none was read */
	uint32_t dump_version; /* of its jitdump, likewise */
	uint32_t jitdump;      /* file number + 1 of that; 0: none is known */
	uint32_t next_free;    /* in an unused entry: index + 1 of the next one */
	uint8_t state;         /* enum process_state */
	uint8_t map_refused;   /* enum tm_no_file: why its perf map was not opened; 0: no answer */
	uint8_t missing;       /* enum process_context_missing: of `context` */
	bool announced;
	bool leader_comm; /* `comm` is the name of the thread group leader */
	bool sampled;     /* a sample since the last report refers to it */
	bool queued;      /* the retire queue refers to it */
};

struct process_table {
	struct process *items;
	uint32_t count; /* entries, unused ones included */
	uint32_t capacity;
	uint32_t first_free; /* index + 1 of the first unused entry; 0: none */
	uint32_t live;
	uint64_t retired;  /* generations retired so far */
	uint64_t jitdumps; /* times that a jitdump became known */
	struct hash_index lookup;
	struct budget *budget;         /* borrowed: of the table alone */
	struct strings *strings;       /* borrowed, with its seed */
	struct tm_retire_queue *queue; /* borrowed; its callbacks refer to the table */
};

void process_table_init(struct process_table *table, struct strings *strings, struct budget *budget,
			struct tm_retire_queue *queue);
void process_table_deinit(struct process_table *table);
/* Handles a PROCESS record. Return: 0, BUDGET_E_SPENT. */
int process_announce(struct process_table *table, const struct tm_process *record);
/* Handles a CONTEXT record; that of a generation that is not known is ignored.
 * Return: 0, BUDGET_E_SPENT. */
int process_declare(struct process_table *table, const struct tm_context *record);
/* Finds or adds the generation of a sample; @comm: its thread's name. Return: 0, BUDGET_E_SPENT. */
int process_of_sample(struct process_table *table, const struct tm_event *event, uint32_t comm,
		      uint32_t *ret_process);
/* Return: the generation that was announced then with TM_FLAG_ANONYMOUS, NULL. */
struct process *process_of_announcement(struct process_table *table, uint32_t tgid, uint64_t ktime);
/* Return: the generation with this key, NULL. */
struct process *process_of_key(struct process_table *table, const struct tm_process_key *key);
/* Handles an EXIT record; samples of the generation may still follow. */
void process_exit(struct process_table *table, const struct tm_event *event);
/*
 * To be called when every sample has been reported: frees the retired generations and moves the
 * strings of the others to @fresh, which is borrowed from now on. A generation whose strings do not
 * fit there has no name until it is announced again.
 */
void process_forget(struct process_table *table, struct strings *fresh);
