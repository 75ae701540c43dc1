/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * otlp_message - some of a report's samples as the linked structs that protobuf-c packs
 *
 * Tables     what these samples refer to, once each, in the order in which it is met; entry 0 of
 *            each is empty. A list has room for all that the report could need.
 * Memory     of an arena, charged to the report's budget: a message that finds none has written
 *            nothing yet.
 * Owner      borrows the report's strings; the report must outlive the message. otlp.c makes and
 *            ends it; otlp_dictionary.c, otlp_stacks.c, otlp_attributes.c, otlp_resource.c and
 *            otlp_samples.c fill it.
 */

#include "otlp.pb-c.h"
#include "symbolizer/base/arena.h"
#include "symbolizer/output/completeness.h"
#include "symbolizer/output/otlp_index.h"
#include "symbolizer/output/otlp_names.h"
#include "symbolizer/output/otlp_services.h"
#include "symbolizer/output/report.h"
#include "symbolizer/output/report_counts.h"

#define OTLP_FIXED_MAX         192u /* strings and attributes that are not the report's */
#define OTLP_PROFILE_ID_BYTES  16
#define OTLP_STOP_BYTES        64
#define OTLP_PROCESS_FACTS     12u
#define OTLP_REPORT_ATTRIBUTES 2 /* what the profiles of a report have in common */

struct otlp_message {
	Otlp__Request request;
	Otlp__Dictionary dictionary;
	const struct report *report;
	struct arena arena;
	struct budget unlimited; /* for a report without a budget */
	const struct otlp_services *services;
	struct otlp_index strings, functions, mappings, locations, stacks,
		attributes;       /* by value */
	struct otlp_index values; /* texts of attributes */
	struct otlp_index shown;  /* stacks of the report and what cut them, */
	uint32_t *stack_of_shown; /* and the numbers of what they have become */
	/* Numbers in the tables, beside the report's arrays; 0: not there yet. */
	uint32_t *mapping_of_segment, *mapping_of_file, *location_of_frame;
	uint32_t location_of_stop[TM_STOP_N];
	Otlp__Scope scope;
	Otlp__ValueType sample_types[TM_SAMPLE_KINDS_N], period_types[TM_SAMPLE_KINDS_N];
	int32_t report_attributes[OTLP_REPORT_ATTRIBUTES];
	char completeness[COMPLETENESS_BYTES];
	char counts[REPORT_COUNTS_BYTES];
	char stops[TM_STOP_N][OTLP_STOP_BYTES];
	int error; /* 0 or -errno, the first */
};

/* Zeroed memory of the message; NULL: none, and the failure is kept. */
void *otlp_take(struct otlp_message *message, size_t count, size_t bytes);

/* otlp_dictionary.c: empty tables with their entries 0; then new entries, the last of their tables
 * (NULL: no memory), and the numbers of strings */
void otlp_dictionary_begin(struct otlp_message *message);
Otlp__Mapping *otlp_add_mapping(struct otlp_message *message);
Otlp__Location *otlp_add_location(struct otlp_message *message);
Otlp__Function *otlp_add_function(struct otlp_message *message);
Otlp__Stack *otlp_add_stack(struct otlp_message *message);
int32_t otlp_string(struct otlp_message *message, const char *text);
/* The last step: the strings are complete. */
void otlp_dictionary_end(struct otlp_message *message);

/* otlp_stacks.c: number of a sample's stack */
int32_t otlp_stack(struct otlp_message *message, const struct report_sample *sample);

/* otlp_attributes.c: numbers in the table of attributes */
void otlp_attributes_begin(struct otlp_message *message);
int32_t otlp_text_attribute(struct otlp_message *message, const char *key, const char *text);
int32_t otlp_number_attribute(struct otlp_message *message, const char *key, int64_t number);
/* Values that are given where they are used, as resources have them. */
void otlp_set_text(Otlp__AnyValue *value, const char *text);
void otlp_set_number(Otlp__AnyValue *value, int64_t number);

/* otlp_resource.c: what the samples of a resource have in common */
Otlp__Resource *otlp_resource(struct otlp_message *message, const struct report_sample *sample);
/* Adds to @list what a resource does not say of its processes, at most OTLP_PROCESS_FACTS numbers.
 * Return: how many. */
size_t otlp_process_attributes(struct otlp_message *message, const struct report_sample *sample,
			       int32_t *list);

/* otlp_samples.c: the samples order[0..count), sorted by resource and kind */
void otlp_samples_fill(struct otlp_message *message, const uint32_t *order, uint32_t count);
