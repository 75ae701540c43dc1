/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_samples - the samples of a pprof message and their labels */

#include <string.h>

#include "symbolizer/output/pprof_message.h"

#define PROCESS_TEXTS   3                                     /* cgroup, container_id, pod_uid */
#define PROCESS_NUMBERS 3                                     /* pid, process_start, exec_id */
#define LABELS_MAX      (4 + PROCESS_NUMBERS + PROCESS_TEXTS) /* tid, comm, truncated, state */

struct process_labels {
	Pprof__Label numbers[PROCESS_NUMBERS];
	Pprof__Label texts[PROCESS_TEXTS];
};

struct sample_parts { /* what one Sample points to */
	Pprof__Label tid;
	Pprof__Label *labels[LABELS_MAX];
};

/* Shared by samples: of a million samples most have the same few. */
struct shared_parts {
	struct process_labels *processes;
	Pprof__Label *comms; /* by string */
	Pprof__Label *stops;
	Pprof__Label *states;    /* of threads */
	uint64_t *stack_ids;     /* beside report.stack_frames */
	uint64_t *truncated_ids; /* of truncated samples: one id more than their stack, each */
	size_t truncated_used;
};

static void fill_text_label(struct pprof_message *message, Pprof__Label *label, unsigned key,
			    int64_t text)
{
	pprof__label__init(label);
	label->key = pprof_extra(message, key);
	label->str = text;
}

static void fill_number_label(struct pprof_message *message, Pprof__Label *label, unsigned key,
			      int64_t number)
{
	pprof__label__init(label);
	label->key = pprof_extra(message, key);
	label->num = number;
}

/* A pid alone is no process: it is used again. */
static void fill_number_labels(struct pprof_message *message, struct process_labels *labels,
			       const struct report_process *process)
{
	fill_number_label(message, &labels->numbers[0], PPROF_PID, process->tgid);
	fill_number_label(message, &labels->numbers[1], PPROF_PROCESS_START,
			  (int64_t)process->start_boottime);
	labels->numbers[1].num_unit = pprof_extra(message, PPROF_NANOSECONDS);
	fill_number_label(message, &labels->numbers[2], PPROF_EXEC_ID, process->exec_id);
}

/* Samples whose root is not the last frame of their stack. */
static int needs_own_ids(const struct report *report, const struct report_sample *sample)
{
	return sample->stop != TM_STOP_NONE || report->stacks[sample->stack].count == 0;
}

static size_t truncated_ids(const struct report *report)
{
	size_t count = 0;

	for (uint32_t i = 0; i < report->sample_count; i++) {
		if (needs_own_ids(report, &report->samples[i]))
			count += (size_t)report->stacks[report->samples[i].stack].count + 1;
	}
	return count;
}

static int fill_shared(struct pprof_message *message, struct shared_parts *shared)
{
	const struct report *report = message->report;

	shared->processes = pprof_take(message, report->process_count, sizeof(*shared->processes));
	shared->comms = pprof_take(message, report->string_count, sizeof(*shared->comms));
	shared->stops = pprof_take(message, TM_STOP_N, sizeof(*shared->stops));
	shared->states = pprof_take(message, TM_THREAD_STATES_N, sizeof(*shared->states));
	shared->stack_ids = pprof_take(message, report->stack_frame_count, sizeof(uint64_t));
	shared->truncated_ids = pprof_take(message, truncated_ids(report), sizeof(uint64_t));
	if (message->error != 0)
		return message->error;
	for (uint32_t i = 0; i < report->process_count; i++) {
		const struct report_process *process = &report->processes[i];

		fill_number_labels(message, &shared->processes[i], process);
		fill_text_label(message, &shared->processes[i].texts[0], PPROF_CGROUP,
				process->cgroup);
		fill_text_label(message, &shared->processes[i].texts[1], PPROF_CONTAINER,
				process->container);
		fill_text_label(message, &shared->processes[i].texts[2], PPROF_POD, process->pod);
	}
	for (uint32_t i = 0; i < report->string_count; i++)
		fill_text_label(message, &shared->comms[i], PPROF_COMM, i);
	for (unsigned stop = 0; stop < TM_STOP_N; stop++)
		fill_text_label(message, &shared->stops[stop], PPROF_TRUNCATED,
				pprof_extra(message, PPROF_STOP_WORDS + stop));
	for (unsigned state = 0; state < TM_THREAD_STATES_N; state++)
		fill_text_label(message, &shared->states[state], PPROF_THREAD_STATE,
				pprof_extra(message, PPROF_STATES + state));
	for (uint32_t i = 0; i < report->stack_frame_count; i++)
		shared->stack_ids[i] = (uint64_t)report->stack_frames[i] + 1;
	return 0;
}

/* Leaf first, so what takes the place of the root comes last. */
static uint64_t *truncated_stack(struct pprof_message *message, struct shared_parts *shared,
				 const struct report_stack *stack, unsigned stop)
{
	uint64_t *ids = shared->truncated_ids + shared->truncated_used;

	memcpy(ids, shared->stack_ids + stack->first, sizeof(*ids) * stack->count);
	ids[stack->count] = pprof_stop_location(message, stop);
	shared->truncated_used += (size_t)stack->count + 1;
	return ids;
}

static void fill_sample(struct pprof_message *message, struct shared_parts *shared,
			const struct report_sample *from, Pprof__Sample *sample,
			struct sample_parts *parts)
{
	const struct report_stack *stack = &message->report->stacks[from->stack];
	struct process_labels *process = &shared->processes[from->process];
	unsigned stop = from->stop;
	unsigned labels = 0;

	fill_number_label(message, &parts->tid, PPROF_TID, from->tid);
	for (unsigned i = 0; i < PROCESS_NUMBERS; i++)
		parts->labels[labels++] = &process->numbers[i];
	parts->labels[labels++] = &parts->tid;
	parts->labels[labels++] = &shared->comms[from->comm];
	for (unsigned i = 0; i < PROCESS_TEXTS; i++)
		if (process->texts[i].str != 0)
			parts->labels[labels++] = &process->texts[i];
	pprof__sample__init(sample);
	sample->n_location_id = stack->count;
	sample->location_id = shared->stack_ids + stack->first;
	if (stop != TM_STOP_NONE)
		parts->labels[labels++] = &shared->stops[stop];
	if (from->state != TM_THREAD_ON_CPU)
		parts->labels[labels++] = &shared->states[from->state];
	if (needs_own_ids(message->report, from)) {
		sample->n_location_id = (size_t)stack->count + 1;
		sample->location_id = truncated_stack(message, shared, stack, stop);
	}
	sample->n_label = labels;
	sample->label = parts->labels;
}

void pprof_fill_samples(struct pprof_message *message)
{
	const struct report *report = message->report;
	size_t count = report->sample_count;
	struct sample_parts *parts = pprof_take(message, count, sizeof(*parts));
	Pprof__Sample *samples = pprof_take(message, count, sizeof(*samples));
	Pprof__Sample **list = pprof_take(message, count, sizeof(Pprof__Sample *));
	size_t columns = pprof_columns(report);
	int64_t *values = pprof_take(message, count * columns, sizeof(*values));
	struct shared_parts shared = {0};

	if (!parts || !samples || !list || !values || fill_shared(message, &shared) < 0)
		return;
	for (uint32_t i = 0; i < count; i++) {
		int64_t *own = values + columns * i;
		unsigned column = pprof_column(report, report->samples[i].kind);

		own[column] = (int64_t)report_samples(report, &report->samples[i]);
		own[column + 1] = (int64_t)report->samples[i].value;
		fill_sample(message, &shared, &report->samples[i], &samples[i], &parts[i]);
		samples[i].n_value = columns;
		samples[i].value = own;
		list[i] = &samples[i];
	}
	message->profile.n_sample = count;
	message->profile.sample = list;
}
