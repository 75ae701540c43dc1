/* SPDX-License-Identifier: Apache-2.0 */
/* otlp - the profile as requests of OpenTelemetry's protocol, in parts of bounded size */

#include "symbolizer/output/otlp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"
#include "symbolizer/base/sort.h"
#include "symbolizer/output/gzip.h"
#include "symbolizer/output/otlp_message.h"
#include "symbolizer/output/output_file.h"

/* --- one message ------------------------------------------------------------------------------ */

static struct otlp_message *message_free(struct otlp_message *message)
{
	if (message)
		arena_deinit(&message->arena);
	free(message);
	return NULL;
}

static void message_freep(struct otlp_message **message)
{
	*message = message_free(*message);
}

void *otlp_take(struct otlp_message *message, size_t count, size_t bytes)
{
	void *taken = NULL;
	size_t all;

	if (!__builtin_mul_overflow(count, bytes, &all))
		taken = arena_take(&message->arena, all);
	if (taken)
		memset(taken, 0, all);
	else if (!message->error)
		message->error = -ENOMEM;
	return taken;
}

static int make(const struct otlp_parts *parts, uint32_t count, struct otlp_message **ret_message)
{
	const struct report *report = parts->report;
	_cleanup_(message_freep) struct otlp_message *message = calloc(1, sizeof(*message));

	if (!message)
		return -ENOMEM;
	message->report = report;
	message->services = &parts->services;
	message->unlimited.limit = UINT64_MAX;
	message->arena.budget = report->memory ? report->memory : &message->unlimited;
	otlp__request__init(&message->request);
	otlp_dictionary_begin(message);
	if (!message->error)
		otlp_attributes_begin(message);
	if (!message->error)
		otlp_samples_fill(message, parts->order + parts->done, count);
	if (message->error)
		return message->error;
	otlp_dictionary_end(message);
	*ret_message = TM_TAKE_PTR(message);
	return 0;
}

/* --- parts ------------------------------------------------------------------------------------ */

static unsigned share_of(const struct otlp_parts *parts, uint32_t sample)
{
	return parts->shares ? parts->shares[parts->report->samples[sample].process] : 0;
}

static int compare_samples(uint32_t a, uint32_t b, const void *context)
{
	const struct otlp_parts *parts = context;
	const struct report_sample *left = &parts->report->samples[a];
	const struct report_sample *right = &parts->report->samples[b];
	const uint32_t *resources = parts->services.resources;
	int order = sort_by_number(share_of(parts, a), share_of(parts, b));

	if (order == 0)
		order = sort_by_number(resources[left->process], resources[right->process]);
	return order != 0 ? order : sort_by_number(left->kind, right->kind);
}

int otlp_parts_init(struct otlp_parts *parts, const struct report *report, const uint8_t *shares)
{
	int r;

	*parts = (struct otlp_parts){.report = report, .shares = shares};
	r = otlp_services_init(&parts->services, report);
	if (r < 0)
		return r;
	parts->order = sort_new(report->sample_count, compare_samples, parts);
	return parts->order ? 0 : -ENOMEM;
}

void otlp_parts_deinit(struct otlp_parts *parts)
{
	parts->message = message_free(parts->message);
	otlp_services_deinit(&parts->services);
	free(parts->order);
	*parts = OTLP_PARTS_NULL;
}

static uint64_t count_samples(const struct otlp_parts *parts, uint32_t count)
{
	uint64_t samples = 0;

	for (uint32_t i = 0; i < count; i++)
		samples += parts->report->samples[parts->order[parts->done + i]].count;
	return samples;
}

/* Return: how many samples are left of the share that is next. */
static uint32_t left_of_share(const struct otlp_parts *parts)
{
	const uint32_t *order = parts->order + parts->done;
	const uint32_t left = parts->report->sample_count - parts->done;
	uint32_t count = 0;

	while (count < left && share_of(parts, order[count]) == share_of(parts, order[0]))
		count++;
	return count;
}

/* What is too long, or finds no memory, is made again of half of the samples; the next part of the
 * share begins with that many. */
int otlp_parts_next(struct otlp_parts *parts, uint64_t most)
{
	const uint32_t left = left_of_share(parts);
	const uint32_t *next = parts->order + parts->done;
	uint32_t count = parts->count && parts->count < left ? parts->count : left;
	int r;

	parts->message = message_free(parts->message);
	if (count == 0)
		return OTLP_E_END;
	for (;;) {
		r = make(parts, count, &parts->message);
		if (r < 0 && (r != -ENOMEM || count == 1))
			return r;
		if (r == 0)
			parts->bytes =
				protobuf_c_message_get_packed_size(&parts->message->request.base);
		if (r == 0 && (parts->bytes <= most || count == 1))
			break;
		parts->message = message_free(parts->message);
		count /= 2;
	}
	parts->samples = count_samples(parts, count);
	parts->share = share_of(parts, *next);
	parts->done += count;
	parts->count = count < left ? count : 0;
	return 0;
}

struct plain {                /* a protobuf-c buffer that writes what is packed into it to a file */
	ProtobufCBuffer base; /* first member: protobuf-c passes a pointer to it */
	struct output_file *out;
};

static void append(ProtobufCBuffer *buffer, size_t count, const uint8_t *bytes)
{
	output_file_bytes(((struct plain *)buffer)->out, bytes, count);
}

int otlp_parts_write(const struct otlp_parts *parts, struct output_file *out, bool compressed)
{
	_cleanup_(gzip_deinit) struct gzip gzip = {0};
	struct plain plain = {.base.append = append, .out = out};
	const ProtobufCMessage *request = &parts->message->request.base;
	int r;

	if (!compressed) {
		(void)protobuf_c_message_pack_to_buffer(request, &plain.base);
		return out->error;
	}
	r = gzip_init(&gzip, out);
	if (r < 0)
		return r;
	(void)protobuf_c_message_pack_to_buffer(request, &gzip.base);
	return gzip_finish(&gzip);
}

int otlp_write(struct output_file *out, const struct report *report)
{
	_cleanup_(otlp_parts_deinit) struct otlp_parts parts = OTLP_PARTS_NULL;
	int r = otlp_parts_init(&parts, report, /* shares= */ NULL);

	if (r == 0)
		r = otlp_parts_next(&parts, UINT64_MAX);
	if (r == 0)
		r = otlp_parts_write(&parts, out, /* compressed= */ false);
	return r < 0 ? r : output_file_finish(out); /* without samples, an empty request */
}
