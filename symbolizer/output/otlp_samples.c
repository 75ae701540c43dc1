/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_samples - resources, profiles and samples of an OTLP request */

#include <errno.h>
#include <sys/random.h>

#include "output_version.h"
#include "shared/reasons.h"
#include "symbolizer/output/otlp_message.h"

#define SAMPLE_ATTRIBUTES_MAX 4u /* thread.id, thread.name, what cut the stack, the state */

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

/* Of full weight, or ns. */
static int64_t value_of(const struct report *report, const struct report_sample *sample)
{
	uint64_t period = report->period_ns;

	if (sample->kind != TM_SAMPLE_ON_CPU)
		return (int64_t)sample->value;
	if (period == 0)
		return (int64_t)sample->count;
	return (int64_t)(sample->value / period + (sample->value % period >= period - period / 2));
}

static void describe_thread(struct otlp_message *message, const struct report_sample *from,
			    Otlp__Sample *sample)
{
	int32_t *list = otlp_take(message, SAMPLE_ATTRIBUTES_MAX, sizeof(*list));
	size_t count = 0;

	if (!list)
		return;
	list[count++] = otlp_number_attribute(message, "thread.id", from->tid);
	if (from->comm != 0)
		list[count++] = otlp_text_attribute(message, "thread.name",
						    message->report->strings[from->comm]);
	if (from->stop != TM_STOP_NONE)
		list[count++] = otlp_text_attribute(message, "tidemark.truncated",
						    tm_reasons_stop(from->stop));
	if (from->state != TM_THREAD_ON_CPU)
		list[count++] = otlp_text_attribute(message, "tidemark.thread.state",
						    tm_reasons_thread(from->state));
	sample->attribute_indices = list;
	sample->n_attribute_indices = count;
}

static Otlp__Sample *add_sample(struct otlp_message *message, const struct report_sample *from)
{
	Otlp__Sample *sample = otlp_take(message, 1, sizeof(*sample));
	int64_t *value = otlp_take(message, 1, sizeof(*value));

	if (!sample || !value)
		return NULL;
	otlp__sample__init(sample);
	sample->stack_index = otlp_stack(message, from);
	sample->n_values = 1;
	sample->values = value;
	describe_thread(message, from, sample);
	return sample;
}

/* Samples that differ in what is not said here are one. */
static struct otlp_key identity_of(const struct report_sample *sample)
{
	return (struct otlp_key){
		{(uint64_t)sample->stack << 32 | sample->tid,
		 (uint64_t)sample->comm << 32 | (uint64_t)sample->stop << 8 | sample->state}};
}

static void add_samples(struct otlp_message *message, Otlp__Profile *profile, const uint32_t *order,
			uint32_t count)
{
	const struct report *report = message->report;
	struct otlp_index identities;
	int r;

	profile->samples = otlp_take(message, count, sizeof(Otlp__Sample *));
	r = message->error ? message->error
			   : otlp_index_init(&identities, &message->arena, OTLP_INDEX_KEYS, count);
	if (r < 0)
		message->error = r;
	for (uint32_t i = 0; i < count && !message->error; i++) {
		const struct report_sample *from = &report->samples[order[i]];
		bool is_new;
		uint32_t number = otlp_index_add(&identities, identity_of(from), &is_new);

		if (is_new && !(profile->samples[number] = add_sample(message, from)))
			return;
		profile->samples[number]->values[0] += value_of(report, from);
		profile->n_samples = identities.count;
	}
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
	profile->attribute_indices = otlp_attribute_list(message, message->completeness_attribute);
	profile->n_attribute_indices = profile->attribute_indices ? 1 : 0;
	identify(message, profile);
	add_samples(message, profile, order, count);
	return profile;
}

/* How many of the next samples are of the same process and, if @kind, of the same kind. */
static uint32_t run_of(const struct report *report, const uint32_t *order, uint32_t count,
		       bool kind)
{
	const struct report_sample *first = &report->samples[order[0]];
	uint32_t run = 1;

	while (run < count && report->samples[order[run]].process == first->process &&
	       (!kind || report->samples[order[run]].kind == first->kind))
		run++;
	return run;
}

static void add_profiles(struct otlp_message *message, Otlp__ScopeProfiles *scope,
			 const uint32_t *order, uint32_t count)
{
	scope->profiles = otlp_take(message, TM_SAMPLE_KINDS_N, sizeof(Otlp__Profile *));
	while (count > 0 && !message->error) {
		uint32_t run = run_of(message->report, order, count, /* kind= */ true);

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
	message->completeness_attribute =
		otlp_text_attribute(message, "tidemark.completeness", message->completeness);
	request->resource_profiles = otlp_take(message, (size_t)message->report->process_count + 1,
					       sizeof(Otlp__ResourceProfiles *));
	while (count > 0 && !message->error) {
		uint32_t run = run_of(message->report, order, count, /* kind= */ false);

		request->resource_profiles[request->n_resource_profiles++] =
			make_resource(message, order, run);
		order += run;
		count -= run;
	}
}
