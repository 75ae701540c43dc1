/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_dictionary - the tables of an OTLP request: their room, their entries 0, new entries */

#include "symbolizer/output/otlp_message.h"

/* A list of pointers to entries, the first of which is an empty one. */
static void *list_take(struct otlp_message *message, uint64_t most)
{
	return otlp_take(message, (size_t)most + 1, sizeof(void *));
}

static void index_begin(struct otlp_message *message, struct otlp_index *index,
			enum otlp_index_kind kind, uint64_t most)
{
	int r = message->error
			? 0
			: otlp_index_init(index, &message->arena, kind, most + 1, &message->error);

	if (r < 0)
		message->error = r;
}

static void take_lists(struct otlp_message *message)
{
	const struct report *report = message->report;
	Otlp__Dictionary *dictionary = &message->dictionary;
	uint64_t files = (uint64_t)report->segment_count + report->file_count;

	dictionary->mapping_table = list_take(message, files);
	dictionary->location_table = list_take(message, (uint64_t)report->frame_count + TM_STOP_N);
	dictionary->function_table = list_take(message, (uint64_t)report->call_count + TM_STOP_N);
	dictionary->link_table = list_take(message, 0);
	dictionary->stack_table = list_take(message, report->sample_count);
	message->mapping_of_segment = otlp_take(message, report->segment_count, sizeof(uint32_t));
	message->mapping_of_file = otlp_take(message, report->file_count, sizeof(uint32_t));
	message->location_of_frame = otlp_take(message, report->frame_count, sizeof(uint32_t));
	message->stack_of_shown = otlp_take(message, report->sample_count, sizeof(uint32_t));
}

static void take_indices(struct otlp_message *message)
{
	const struct report *report = message->report;

	/* A path, a name and a system name of each call are the report's strings. */
	index_begin(message, &message->strings, OTLP_INDEX_TEXTS,
		    (uint64_t)report->string_count + OTLP_FIXED_MAX);
	index_begin(message, &message->functions, OTLP_INDEX_COPIES,
		    (uint64_t)report->call_count + TM_STOP_N);
	index_begin(message, &message->mappings, OTLP_INDEX_COPIES,
		    (uint64_t)report->segment_count + report->file_count);
	index_begin(message, &message->locations, OTLP_INDEX_BORROWS,
		    (uint64_t)report->frame_count + TM_STOP_N);
	index_begin(message, &message->stacks, OTLP_INDEX_BORROWS, report->sample_count);
	index_begin(message, &message->shown, OTLP_INDEX_COPIES, report->sample_count);
}

Otlp__Mapping *otlp_add_mapping(struct otlp_message *message)
{
	Otlp__Mapping *mapping = otlp_take(message, 1, sizeof(*mapping));

	if (!mapping)
		return NULL;
	otlp__mapping__init(mapping);
	message->dictionary.mapping_table[message->dictionary.n_mapping_table++] = mapping;
	return mapping;
}

Otlp__Location *otlp_add_location(struct otlp_message *message)
{
	Otlp__Location *location = otlp_take(message, 1, sizeof(*location));

	if (!location)
		return NULL;
	otlp__location__init(location);
	message->dictionary.location_table[message->dictionary.n_location_table++] = location;
	return location;
}

Otlp__Function *otlp_add_function(struct otlp_message *message)
{
	Otlp__Function *function = otlp_take(message, 1, sizeof(*function));

	if (!function)
		return NULL;
	otlp__function__init(function);
	message->dictionary.function_table[message->dictionary.n_function_table++] = function;
	return function;
}

Otlp__Stack *otlp_add_stack(struct otlp_message *message)
{
	Otlp__Stack *stack = otlp_take(message, 1, sizeof(*stack));

	if (!stack)
		return NULL;
	otlp__stack__init(stack);
	message->dictionary.stack_table[message->dictionary.n_stack_table++] = stack;
	return stack;
}

static void add_link(struct otlp_message *message)
{
	Otlp__Link *link = otlp_take(message, 1, sizeof(*link));

	if (!link)
		return;
	otlp__link__init(link);
	message->dictionary.link_table[message->dictionary.n_link_table++] = link;
}

void otlp_dictionary_begin(struct otlp_message *message)
{
	otlp__dictionary__init(&message->dictionary);
	message->request.dictionary = &message->dictionary;
	take_lists(message);
	take_indices(message);
	if (message->error)
		return;
	(void)otlp_index_add_text(&message->strings, "");
	/* No other key is as short. */
	(void)otlp_index_add(&message->functions, "", 1, NULL);
	(void)otlp_index_add(&message->mappings, "", 1, NULL);
	(void)otlp_index_add(&message->locations, "", 1, NULL);
	(void)otlp_index_add(&message->stacks, "", 1, NULL);
	(void)otlp_add_mapping(message);
	(void)otlp_add_location(message);
	(void)otlp_add_function(message);
	(void)otlp_add_stack(message);
	add_link(message);
}

void otlp_dictionary_end(struct otlp_message *message)
{
	message->dictionary.n_string_table = message->strings.count;
	message->dictionary.string_table = (char **)(uintptr_t)message->strings.texts;
}

int32_t otlp_string(struct otlp_message *message, const char *text)
{
	return (int32_t)otlp_index_add_text(&message->strings, text);
}
