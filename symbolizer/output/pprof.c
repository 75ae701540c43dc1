/* SPDX-License-Identifier: Apache-2.0 */
/* pprof - the profile as `go tool pprof` reads it */

#include <errno.h>
#include <stdlib.h>

#include "shared/cleanup.h"
#include "symbolizer/output/gzip.h"
#include "symbolizer/output/pprof_message.h"

static void message_free(struct pprof_message *message)
{
	if (!message)
		return;
	for (unsigned i = 0; i < message->owned_count; i++)
		free(message->owned[i]);
	free(message);
}

static void message_freep(struct pprof_message **message)
{
	message_free(*message);
}

static void fill_type(const struct pprof_message *message, Pprof__ValueType *type, unsigned name,
		      unsigned unit)
{
	pprof__value_type__init(type);
	type->type = pprof_extra(message, name);
	type->unit = pprof_extra(message, unit);
}

/* Count first, the default type last and by name too: some readers know only the order. */
static void fill_types(struct pprof_message *message)
{
	static const struct {
		unsigned count, value; /* enum pprof_extra */
	} names[TM_SAMPLE_KINDS_N] = {
		[TM_SAMPLE_ON_CPU] = {PPROF_SAMPLES, PPROF_CPU},
		[TM_SAMPLE_OFF_CPU] = {PPROF_OFF_CPU_SAMPLES, PPROF_OFF_CPU},
	};
	const struct report *report = message->report;
	unsigned columns = pprof_columns(report);
	Pprof__ValueType *types = pprof_take(message, columns, sizeof(*types));
	Pprof__ValueType **list = pprof_take(message, columns, sizeof(Pprof__ValueType *));

	if (!types || !list)
		return;
	for (unsigned kind = 0; kind < TM_SAMPLE_KINDS_N; kind++) {
		Pprof__ValueType *at = types + pprof_column(report, kind);

		if (!(report->kinds >> kind & 1))
			continue;
		fill_type(message, &at[0], names[kind].count, PPROF_COUNT);
		fill_type(message, &at[1], names[kind].value, PPROF_NANOSECONDS);
	}
	for (unsigned i = 0; i < columns; i++)
		list[i] = &types[i];
	message->profile.n_sample_type = columns;
	message->profile.sample_type = list;
	message->profile.period_type = &types[pprof_column(report, TM_SAMPLE_ON_CPU) + 1];
	message->profile.default_sample_type = message->profile.period_type->type;
	message->profile.period = (int64_t)report->period_ns;
}

static void fill_comment(struct pprof_message *message)
{
	int64_t *comments = pprof_take(message, 1, sizeof(*comments));

	if (!comments)
		return;
	comments[0] = pprof_extra(message, PPROF_COMPLETENESS);
	message->profile.n_comment = 1;
	message->profile.comment = comments;
}

/* Each needs those before it. */
static void (*const steps[])(struct pprof_message *message) = {
	pprof_fill_strings,   fill_types,           fill_comment,       pprof_fill_mappings,
	pprof_fill_functions, pprof_fill_locations, pprof_fill_samples,
};

static struct pprof_message *message_new(const struct report *report)
{
	_cleanup_(message_freep) struct pprof_message *message = calloc(1, sizeof(*message));

	if (!message)
		return NULL;
	message->report = report;
	pprof__profile__init(&message->profile);
	message->profile.time_nanos = (int64_t)report->start_unix_ns;
	message->profile.duration_nanos = (int64_t)report->duration_ns;
	for (unsigned i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		steps[i](message);
		if (message->error != 0)
			return NULL;
	}
	return TM_TAKE_PTR(message);
}

void *pprof_take(struct pprof_message *message, size_t count, size_t bytes)
{
	void *array = message->owned_count < PPROF_OWNED_MAX ? calloc(count + 1, bytes) : NULL;

	if (!array)
		message->error = -ENOMEM;
	else
		message->owned[message->owned_count++] = array;
	return array;
}

int pprof_write(struct output_file *out, const struct report *report)
{
	_cleanup_(gzip_deinit) struct gzip gzip = {0};
	_cleanup_(message_freep) struct pprof_message *message = message_new(report);
	int r;

	if (!message)
		return -ENOMEM;
	r = gzip_init(&gzip, out);
	if (r < 0)
		return r;
	(void)protobuf_c_message_pack_to_buffer(&message->profile.base, &gzip.base);
	return gzip_finish(&gzip);
}
