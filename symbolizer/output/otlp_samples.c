/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_samples - resources, profiles and samples of an OTLP request */

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "output_version.h"
#include "shared/reasons.h"
#include "symbolizer/output/otlp_message.h"

#define THREAD_ATTRIBUTES 5u /* thread.id, thread.name, what cut the stack, the state, flags */
#define SUM_ATTRIBUTES    2u /* count, ns */
#define IDENTITY_MAX      (1 + THREAD_ATTRIBUTES + OTLP_PROCESS_FACTS)

static void set_types(struct otlp_message *message)
{
	for (unsigned kind = 0; kind < TM_SAMPLE_KINDS_N; kind++) {
		otlp__value_type__init(&message->sample_types[kind]);
		otlp__value_type__init(&message->period_types[kind]);
	}
}

/* Receivers know these two pairs by name; an off-CPU profile has no period. */
static void describe_kind(struct otlp_message *message, Otlp__Profile *profile, unsigned kind)
{
	Otlp__ValueType *type = &message->sample_types[kind];
	Otlp__ValueType *period = &message->period_types[kind];

	profile->sample_type = type;
	profile->period_type = period;
	if (kind == TM_SAMPLE_OFF_CPU) {
		type->type_strindex = otlp_string(message, "off_cpu");
		type->unit_strindex = otlp_string(message, "nanoseconds");
		return;
	}
	type->type_strindex = otlp_string(message, "samples");
	type->unit_strindex = otlp_string(message, "count");
	period->type_strindex = otlp_string(message, "cpu");
	period->unit_strindex = otlp_string(message, "nanoseconds");
	profile->period = (int64_t)message->report->period_ns;
}

/* Samples at the rate of the recording, or ns. */
static int64_t value_of(const struct report *report, const struct report_sample *sample)
{
	if (sample->kind != TM_SAMPLE_ON_CPU)
		return (int64_t)sample->value;
	return (int64_t)report_samples(report, sample);
}

static unsigned flags_of(const struct report_sample *sample)
{
	return (sample->flags & OTLP_SAMPLE_EVENT_FLAGS) | (sample->woken ? OTLP_SAMPLE_WOKEN : 0u);
}

/* What makes two samples one: the number of the stack, then those of the attributes.
 * Return: how many. */
static size_t identify_sample(struct otlp_message *message, const struct report_sample *from,
			      int32_t identity[IDENTITY_MAX])
{
	size_t count = 0;

	identity[count++] = otlp_stack(message, from);
	identity[count++] = otlp_number_attribute(message, OTLP_THREAD_ID, from->tid);
	if (from->comm != 0)
		identity[count++] = otlp_text_attribute(message, OTLP_THREAD_NAME,
							message->report->strings[from->comm]);
	if (from->stop != TM_STOP_NONE)
		identity[count++] =
			otlp_text_attribute(message, OTLP_TRUNCATED, tm_reasons_stop(from->stop));
	if (from->state != TM_THREAD_ON_CPU)
		identity[count++] =
			otlp_text_attribute(message, OTLP_STATE, tm_reasons_thread(from->state));
	if (flags_of(from))
		identity[count++] =
			otlp_number_attribute(message, OTLP_SAMPLE_FLAGS, flags_of(from));
	return count + otlp_process_attributes(message, from, identity + count);
}

/* @identity: of the index, which keeps it. */
static Otlp__Sample *add_sample(struct otlp_message *message, const struct otlp_key *identity)
{
	int32_t *numbers = (int32_t *)(uintptr_t)identity->bytes;
	Otlp__Sample *sample = otlp_take(message, 1, sizeof(*sample));
	int64_t *value = otlp_take(message, 1, sizeof(*value));

	if (!sample || !value)
		return NULL;
	otlp__sample__init(sample);
	sample->stack_index = numbers[0];
	sample->attribute_indices = numbers + 1;
	sample->n_attribute_indices = identity->count / sizeof(*numbers) - 1;
	sample->n_values = 1;
	sample->values = value;
	return sample;
}

/* What the value does not say of the samples that it stands for; the list of attributes is the
 * index's, so that a longer one is a copy. */
static void describe_sum(struct otlp_message *message, Otlp__Sample *sample, unsigned kind,
			 const struct sample_sum *sum)
{
	const int64_t value = sample->values[0];
	const bool is_on_cpu = kind == TM_SAMPLE_ON_CPU;
	const bool counted = sum->count == (is_on_cpu ? (uint64_t)value : 1);
	const bool timed = !is_on_cpu || sum->value == (uint64_t)value * message->report->period_ns;
	int32_t *list;

	if (counted && timed)
		return;
	list = otlp_take(message, sample->n_attribute_indices + SUM_ATTRIBUTES, sizeof(*list));
	if (!list)
		return;
	memcpy(list, sample->attribute_indices, sample->n_attribute_indices * sizeof(*list));
	sample->attribute_indices = list;
	if (!counted)
		list[sample->n_attribute_indices++] =
			otlp_number_attribute(message, OTLP_SAMPLE_COUNT, (int64_t)sum->count);
	if (!timed)
		list[sample->n_attribute_indices++] =
			otlp_number_attribute(message, OTLP_SAMPLE_NS, (int64_t)sum->value);
}

static void add_samples(struct otlp_message *message, Otlp__Profile *profile, const uint32_t *order,
			uint32_t count)
{
	const struct report *report = message->report;
	struct sample_sum *sums = otlp_take(message, count, sizeof(*sums));
	struct otlp_index identities;
	int r;

	profile->samples = otlp_take(message, count, sizeof(Otlp__Sample *));
	r = message->error ? message->error
			   : otlp_index_init(&identities, &message->arena, OTLP_INDEX_COPIES, count,
					     &message->error);
	if (r < 0)
		message->error = r;
	for (uint32_t i = 0; i < count && !message->error; i++) {
		const struct report_sample *from = &report->samples[order[i]];
		int32_t identity[IDENTITY_MAX];
		size_t bytes = identify_sample(message, from, identity) * sizeof(*identity);
		bool is_new;
		uint32_t number = otlp_index_add(&identities, identity, bytes, &is_new);

		if (message->error)
			return;
		if (is_new &&
		    !(profile->samples[number] = add_sample(message, &identities.keys[number])))
			return;
		profile->samples[number]->values[0] += value_of(report, from);
		sample_sum_add(&sums[number], from->count, from->value);
		profile->n_samples = identities.count;
	}
	for (size_t i = 0; i < profile->n_samples && !message->error; i++)
		describe_sum(message, profile->samples[i], report->samples[order[0]].kind,
			     &sums[i]);
}

/* A receiver that gets a request twice can tell by it. */
static void identify(struct otlp_message *message, Otlp__Profile *profile)
{
	profile->profile_id.data = otlp_take(message, OTLP_PROFILE_ID_BYTES, 1);
	if (!profile->profile_id.data)
		return;
	profile->profile_id.len = OTLP_PROFILE_ID_BYTES;
	if (getrandom(profile->profile_id.data, OTLP_PROFILE_ID_BYTES, 0) != OTLP_PROFILE_ID_BYTES)
		message->error = -EIO;
}

static Otlp__Profile *make_profile(struct otlp_message *message, const uint32_t *order,
				   uint32_t count)
{
	const struct report *report = message->report;
	Otlp__Profile *profile = otlp_take(message, 1, sizeof(*profile));

	if (!profile)
		return NULL;
	otlp__profile__init(profile);
	describe_kind(message, profile, report->samples[order[0]].kind);
	profile->time_unix_nano = report->start_unix_ns;
	profile->duration_nano = report->duration_ns;
	profile->attribute_indices = message->report_attributes;
	profile->n_attribute_indices = OTLP_REPORT_ATTRIBUTES;
	identify(message, profile);
	add_samples(message, profile, order, count);
	return profile;
}

/* How many of the next samples are of the same resource and, if @kind, of the same kind. */
static uint32_t run_of(const struct otlp_message *message, const uint32_t *order, uint32_t count,
		       bool kind)
{
	const struct report_sample *samples = message->report->samples;
	const struct report_sample *first = &samples[order[0]];
	const uint32_t *resources = message->services->resources;
	uint32_t run = 1;

	while (run < count && resources[samples[order[run]].process] == resources[first->process] &&
	       (!kind || samples[order[run]].kind == first->kind))
		run++;
	return run;
}

static void add_profiles(struct otlp_message *message, Otlp__ScopeProfiles *scope,
			 const uint32_t *order, uint32_t count)
{
	scope->profiles = otlp_take(message, TM_SAMPLE_KINDS_N, sizeof(Otlp__Profile *));
	while (count > 0 && !message->error) {
		uint32_t run = run_of(message, order, count, /* kind= */ true);

		scope->profiles[scope->n_profiles++] = make_profile(message, order, run);
		order += run;
		count -= run;
	}
}

static Otlp__ResourceProfiles *make_resource(struct otlp_message *message, const uint32_t *order,
					     uint32_t count)
{
	Otlp__ResourceProfiles *profiles = otlp_take(message, 1, sizeof(*profiles));
	Otlp__ScopeProfiles *scope = otlp_take(message, 1, sizeof(*scope));
	Otlp__ScopeProfiles **list = otlp_take(message, 1, sizeof(Otlp__ScopeProfiles *));

	if (!profiles || !scope || !list)
		return NULL;
	otlp__resource_profiles__init(profiles);
	otlp__scope_profiles__init(scope);
	list[0] = scope;
	scope->scope = &message->scope;
	profiles->resource = otlp_resource(message, &message->report->samples[order[0]]);
	profiles->scope_profiles = list;
	profiles->n_scope_profiles = 1;
	add_profiles(message, scope, order, count);
	return profiles;
}

void otlp_samples_fill(struct otlp_message *message, const uint32_t *order, uint32_t count)
{
	Otlp__Request *request = &message->request;

	set_types(message);
	otlp__scope__init(&message->scope);
	message->scope.name = (char *)(uintptr_t) "tidemark";
	message->scope.version = (char *)(uintptr_t)OUTPUT_VERSION;
	completeness_format(message->report, message->completeness);
	report_counts_format(message->report, message->counts);
	message->report_attributes[0] =
		otlp_text_attribute(message, OTLP_COMPLETENESS, message->completeness);
	message->report_attributes[1] = otlp_text_attribute(message, OTLP_COUNTS, message->counts);
	request->resource_profiles = otlp_take(message, (size_t)message->report->process_count + 1,
					       sizeof(Otlp__ResourceProfiles *));
	while (count > 0 && !message->error) {
		uint32_t run = run_of(message, order, count, /* kind= */ false);

		request->resource_profiles[request->n_resource_profiles++] =
			make_resource(message, order, run);
		order += run;
		count -= run;
	}
}
