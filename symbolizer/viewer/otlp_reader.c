/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_reader - adds the samples of an OTLP request to the merged report */

#include "symbolizer/viewer/otlp_reader.h"

#include <string.h>

#include "symbolizer/output/report_counts.h"

#define OFF_CPU      "off_cpu"
#define KIND_UNKNOWN UINT8_MAX

void otlp_reader_init(struct otlp_reader *reader, struct merge *merge,
		      const struct selection *selection)
{
	*reader = (struct otlp_reader){
		.merge = merge,
		.samples = {.merge = merge, .selection = selection},
		.window = SELECTION_ALWAYS,
	};
}

void otlp_reader_deinit(struct otlp_reader *reader)
{
	struct budget *budget = reader->merge->budget;

	otlp_samples_deinit(&reader->samples);
	budget_drop(budget, &reader->intervals, &reader->interval_capacity,
		    sizeof(*reader->intervals));
	budget_drop(budget, &reader->ids, &reader->id_capacity, sizeof(*reader->ids));
}

/* --- profiles --------------------------------------------------------------------------------- */

static int read_kind(struct otlp_body *body, struct otlp_profile *profile)
{
	const Otlp__ValueType *type = profile->message->sample_type;
	const char *name;

	profile->kind = KIND_UNKNOWN;
	if (!type)
		return 0;
	if (otlp_body_text(body, type->type_strindex, &name))
		return OTLP_BODY_E_INVALID;
	if (strcmp(name, OFF_CPU) == 0)
		profile->kind = TM_SAMPLE_OFF_CPU;
	else if (strcmp(name, "samples") == 0)
		profile->kind = TM_SAMPLE_ON_CPU;
	if (profile->message->period < 0)
		return OTLP_BODY_E_INVALID;
	profile->period_ns = (uint64_t)profile->message->period;
	return 0;
}

/* Remembers the interval of the profile's report, and its counts. */
static int keep_interval(struct otlp_reader *reader, struct otlp_body *body,
			 const Otlp__Profile *message)
{
	struct otlp_reader_interval kept = {.interval = {.start_unix_ns = message->time_unix_nano,
							 .duration_ns = message->duration_nano,
							 .side = reader->samples.side}};
	int r = 0;

	for (size_t i = 0; r == 0 && i < message->n_attribute_indices; i++) {
		struct attribute *attribute;

		r = otlp_body_attribute(body, message->attribute_indices[i], &attribute);
		if (r || attribute->kind != ATTRIBUTES_COUNTS)
			continue;
		r = otlp_body_attribute_string(body, attribute, &kept.interval.text);
		kept.counts = attribute->text;
	}
	if (r)
		return r;
	if (!kept.counts)
		reader->counts[reader->samples.side].foreign++;
	if (reader->interval_count &&
	    memcmp(&reader->intervals[reader->interval_count - 1].interval, &kept.interval,
		   sizeof(kept.interval)) == 0)
		return 0;
	if (budget_grow(reader->merge->budget, &reader->intervals, &reader->interval_capacity,
			reader->interval_count + 1, sizeof(kept)))
		return OTLP_BODY_E_MEMORY;
	reader->intervals[reader->interval_count++] = kept;
	return 0;
}

static int read_samples(struct otlp_reader *reader, struct otlp_body *body,
			const struct otlp_profile *profile)
{
	const Otlp__Profile *message = profile->message;
	int r = 0;

	if (profile->kind == TM_SAMPLE_ON_CPU && profile->period_ns)
		reader->period_ns = profile->period_ns;
	for (size_t i = 0; r == 0 && i < message->n_samples; i++)
		r = otlp_sample_add(&reader->samples, body, profile, message->samples[i]);
	return r;
}

/* @ret_known: the profile was read before; else it is remembered once the request is whole. */
static int check_id(struct otlp_reader *reader, const Otlp__Profile *message, bool *ret_known)
{
	struct merge_id id = {.side = reader->samples.side};

	*ret_known = false;
	if (message->profile_id.len != sizeof(id.bytes))
		return 0;
	memcpy(id.bytes, message->profile_id.data, sizeof(id.bytes));
	*ret_known = merge_has_id(reader->merge, &id);
	if (*ret_known)
		return 0;
	if (budget_grow(reader->merge->budget, &reader->ids, &reader->id_capacity,
			reader->id_count + 1, sizeof(id)))
		return OTLP_BODY_E_MEMORY;
	reader->ids[reader->id_count++] = id;
	return 0;
}

static int read_profile(struct otlp_reader *reader, struct otlp_body *body,
			struct otlp_profile *profile)
{
	const Otlp__Profile *message = profile->message;
	struct otlp_reader_counts *counts = &reader->counts[reader->samples.side];
	bool known = false;
	int r;

	if (!selection_has_time(&reader->window, message->time_unix_nano, message->duration_nano)) {
		counts->outside++;
		return 0;
	}
	r = read_kind(body, profile);
	if (r == 0 && profile->kind == KIND_UNKNOWN) {
		counts->foreign++;
		return 0;
	}
	if (r == 0)
		r = check_id(reader, message, &known);
	if (r == 0 && known)
		counts->again++;
	if (r || known)
		return r;
	r = keep_interval(reader, body, message);
	return r ? r : read_samples(reader, body, profile);
}

static int read_resources(struct otlp_reader *reader, struct otlp_body *body)
{
	const Otlp__Request *request = body->request;
	int r = 0;

	for (size_t i = 0; r == 0 && i < request->n_resource_profiles; i++) {
		const Otlp__ResourceProfiles *of = request->resource_profiles[i];
		struct otlp_profile profile = {0};

		r = otlp_sample_process(body, of->resource, &profile.process);
		for (size_t j = 0; r == 0 && j < of->n_scope_profiles; j++)
			for (size_t k = 0; r == 0 && k < of->scope_profiles[j]->n_profiles; k++) {
				profile.message = of->scope_profiles[j]->profiles[k];
				r = read_profile(reader, body, &profile);
			}
	}
	return r;
}

/* --- requests --------------------------------------------------------------------------------- */

static int commit_samples(struct otlp_reader *reader)
{
	const struct otlp_samples *samples = &reader->samples;
	struct otlp_reader_counts *counts = &reader->counts[samples->side];

	for (uint32_t i = 0; i < samples->count; i++) {
		const struct report_sample *sample = &samples->items[i];

		if (merge_sample(reader->merge, sample))
			return OTLP_BODY_E_MEMORY;
		sample_sum_add(&counts->selected[sample->kind], sample->count, sample->value);
	}
	for (unsigned kind = 0; kind < TM_SAMPLE_KINDS_N; kind++)
		sample_sum_add(&counts->read[kind], samples->read[kind].count,
			       samples->read[kind].value);
	return 0;
}

/* The request is whole: its samples and the counts of its report are added. */
static int commit(struct otlp_reader *reader)
{
	int r = commit_samples(reader);

	for (uint32_t i = 0; r == 0 && i < reader->id_count; i++)
		r = merge_id(reader->merge, &reader->ids[i]) ? OTLP_BODY_E_MEMORY : 0;
	for (uint32_t i = 0; r == 0 && i < reader->interval_count; i++) {
		const struct otlp_reader_interval *kept = &reader->intervals[i];
		bool is_new = false;

		if (merge_interval(reader->merge, &kept->interval, &is_new))
			r = OTLP_BODY_E_MEMORY;
		if (!is_new)
			continue;
		reader->counts[reader->samples.side].reports++;
		if (kept->counts)
			(void)report_counts_add(&reader->reports[reader->samples.side],
						kept->counts);
	}
	return r;
}

int otlp_reader_read(struct otlp_reader *reader, const uint8_t *bytes, size_t count)
{
	const struct otlp_reader_counts before = reader->counts[reader->samples.side];
	struct otlp_body body;
	int r;

	otlp_samples_begin(&reader->samples);
	reader->interval_count = 0;
	reader->id_count = 0;
	r = otlp_body_init(&body, reader->merge, bytes, count);
	if (r == 0)
		r = read_resources(reader, &body);
	if (r == 0)
		r = commit(reader);
	else
		reader->counts[reader->samples.side] = before;
	otlp_body_deinit(&body);
	return r;
}
