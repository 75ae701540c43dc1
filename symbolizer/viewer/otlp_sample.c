/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_sample - a sample of an OTLP request with its process, thread and stack, merged */

#include "symbolizer/viewer/otlp_sample.h"

#include <string.h>

#include "symbolizer/output/otlp_names.h"

void otlp_samples_deinit(struct otlp_samples *samples)
{
	struct budget *budget = samples->merge->budget;

	budget_drop(budget, &samples->items, &samples->capacity, sizeof(*samples->items));
	budget_drop(budget, &samples->frames, &samples->frame_capacity, sizeof(*samples->frames));
}

void otlp_samples_begin(struct otlp_samples *samples)
{
	samples->count = 0;
	samples->has_last = false;
	memset(samples->read, 0, sizeof(samples->read));
}

/* --- processes -------------------------------------------------------------------------------- */

static int process_string(struct otlp_body *body, struct attribute *attribute,
			  struct report_process *process)
{
	uint32_t *const strings[ATTRIBUTES_N] = {
		[ATTRIBUTES_PROCESS_COMM] = &process->comm,
		[ATTRIBUTES_EXE] = &process->exe,
		[ATTRIBUTES_CGROUP] = &process->cgroup,
		[ATTRIBUTES_CONTAINER] = &process->container,
		[ATTRIBUTES_POD] = &process->pod,
	};

	return otlp_body_attribute_string(body, attribute, strings[attribute->kind]);
}

static int describe_process(struct otlp_body *body, struct attribute *attribute,
			    struct report_process *process)
{
	switch (attribute->kind) {
	case ATTRIBUTES_PID:
		process->tgid = (uint32_t)attribute->number;
		process->ns_tgid = process->ns_tgid ? process->ns_tgid : process->tgid;
		return 0;
	case ATTRIBUTES_NS_PID:
		process->ns_tgid = (uint32_t)attribute->number;
		return 0;
	case ATTRIBUTES_PROCESS_START:
		process->start_boottime = attribute->number;
		return 0;
	case ATTRIBUTES_PROCESS_EXEC:
		process->exec_id = (uint32_t)attribute->number;
		return 0;
	default:
		return process_string(body, attribute, process);
	}
}

int otlp_sample_process(struct otlp_body *body, const Otlp__Resource *resource,
			struct report_process *process)
{
	int r = 0;

	for (size_t i = 0; resource && r == 0 && i < resource->n_attributes; i++) {
		struct attribute attribute = attributes_read(resource->attributes[i]->key,
							     resource->attributes[i]->value);

		if (attribute.kind >= ATTRIBUTES_PROCESS)
			r = describe_process(body, &attribute, process);
	}
	return r;
}

/* --- samples ---------------------------------------------------------------------------------- */

struct described { /* what attributes say of a sample */
	struct report_sample sample;
	struct report_process process;
	bool has_count, has_value;
};

static int describe_sample(struct otlp_body *body, struct attribute *attribute,
			   struct described *described)
{
	struct report_sample *sample = &described->sample;

	switch (attribute->kind) {
	case ATTRIBUTES_THREAD_ID:
		sample->tid = (uint32_t)attribute->number;
		return 0;
	case ATTRIBUTES_THREAD_NAME:
		return otlp_body_attribute_string(body, attribute, &sample->comm);
	case ATTRIBUTES_STOP:
		sample->stop = (uint8_t)attribute->number;
		return 0;
	case ATTRIBUTES_STATE:
		sample->state = (uint8_t)attribute->number;
		return 0;
	case ATTRIBUTES_SAMPLE_FLAGS:
		sample->woken = (attribute->number & OTLP_SAMPLE_WOKEN) != 0;
		sample->flags |= (uint32_t)attribute->number & OTLP_SAMPLE_EVENT_FLAGS;
		return 0;
	case ATTRIBUTES_SAMPLE_COUNT:
		sample->count = attribute->number;
		described->has_count = true;
		return 0;
	case ATTRIBUTES_SAMPLE_NS:
		sample->value = attribute->number;
		described->has_value = true;
		return 0;
	default:
		return attribute->kind < ATTRIBUTES_PROCESS
			       ? 0
			       : describe_process(body, attribute, &described->process);
	}
}

/* @value: of on-CPU samples in periods, of others in ns. */
static int measure(const struct otlp_profile *profile, int64_t value, struct described *described)
{
	const bool is_on_cpu = profile->kind == TM_SAMPLE_ON_CPU;
	struct report_sample *sample = &described->sample;
	uint64_t ns = (uint64_t)value;

	if (value < 0 || (is_on_cpu && __builtin_mul_overflow(ns, profile->period_ns, &ns)))
		return OTLP_BODY_E_INVALID;
	if (!described->has_count)
		sample->count = is_on_cpu ? (uint64_t)value : 1;
	if (!described->has_value)
		sample->value = ns;
	return sample->value > SAMPLE_VALUE_MAX || sample->count > SAMPLE_VALUE_MAX
		       ? OTLP_BODY_E_INVALID
		       : 0;
}

/* A merged stack. Where all its frames are the same in every process, it is found again. */
static int read_stack(struct otlp_samples *samples, struct otlp_body *body, int32_t index,
		      uint32_t process, uint32_t *ret_stack)
{
	const Otlp__Stack *stack;
	bool shared = true, own;
	uint32_t count = 0;
	int r = 0;

	if (index < 0 || (size_t)index >= body->dictionary->n_stack_table)
		return OTLP_BODY_E_INVALID;
	if (body->stacks[index]) {
		*ret_stack = body->stacks[index] - 1;
		return 0;
	}
	stack = body->dictionary->stack_table[index];
	if (stack->n_location_indices > MERGE_FRAMES_MAX)
		return OTLP_BODY_E_INVALID;
	if (budget_grow(samples->merge->budget, &samples->frames, &samples->frame_capacity,
			(uint32_t)stack->n_location_indices + 1, sizeof(*samples->frames)))
		return OTLP_BODY_E_MEMORY;
	for (size_t i = 0; r == 0 && i < stack->n_location_indices; i++) {
		r = otlp_body_frame(body, stack->location_indices[i], process,
				    &samples->frames[count], &own);
		shared &= !own;
		count += samples->frames[count] != OTLP_BODY_STOP;
	}
	if (r == 0 && merge_stack(samples->merge, samples->frames, count, ret_stack))
		r = OTLP_BODY_E_MEMORY;
	if (r == 0 && shared)
		body->stacks[index] = *ret_stack + 1;
	return r;
}

static int keep_sample(struct otlp_samples *samples, const struct report_sample *sample)
{
	if (budget_grow(samples->merge->budget, &samples->items, &samples->capacity,
			samples->count + 1, sizeof(*sample)))
		return OTLP_BODY_E_MEMORY;
	samples->items[samples->count++] = *sample;
	return 0;
}

/* Samples of a process mostly follow each other. */
static int number_process(struct otlp_samples *samples, const struct report_process *process,
			  uint32_t *ret_number)
{
	const struct report_process *last = &samples->last;

	if (!samples->has_last || last->tgid != process->tgid ||
	    last->start_boottime != process->start_boottime || last->exec_id != process->exec_id) {
		if (merge_process(samples->merge, process, &samples->last_number))
			return OTLP_BODY_E_MEMORY;
		samples->last = *process;
		samples->has_last = true;
	}
	*ret_number = samples->last_number;
	return 0;
}

/* By all that is known of its process, also from other reports. */
static bool is_selected(const struct otlp_samples *samples, const struct report_sample *sample)
{
	const struct merge *merge = samples->merge;
	const struct merge_process *processes = merge->processes.items;

	return selection_has(samples->selection, merge->strings.items,
			     &processes[sample->process].process, sample->comm);
}

int otlp_sample_add(struct otlp_samples *samples, struct otlp_body *body,
		    const struct otlp_profile *profile, const Otlp__Sample *message)
{
	struct described described = {
		.process = profile->process,
		.sample = {.kind = profile->kind, .flags = samples->side ? REPORT_SAMPLE_BASE : 0},
	};
	int r = message->n_values == 1 ? 0 : OTLP_BODY_E_INVALID;

	for (size_t i = 0; r == 0 && i < message->n_attribute_indices; i++) {
		struct attribute *attribute;

		r = otlp_body_attribute(body, message->attribute_indices[i], &attribute);
		if (r == 0)
			r = describe_sample(body, attribute, &described);
	}
	if (r == 0)
		r = measure(profile, message->values[0], &described);
	if (r)
		return r;
	sample_sum_add(&samples->read[profile->kind], described.sample.count,
		       described.sample.value);
	r = number_process(samples, &described.process, &described.sample.process);
	if (r || !is_selected(samples, &described.sample))
		return r;
	r = read_stack(samples, body, message->stack_index, described.sample.process,
		       &described.sample.stack);
	return r ? r : keep_sample(samples, &described.sample);
}
