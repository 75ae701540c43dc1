/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * otlp_body - one OTLP request while it is read: its tables, and what of them is merged already
 *
 * Numbers    of the request come from a file; every function here checks the ones it gets.
 * Memory     of the body's arena.
 * Errors     OTLP_BODY_E_INVALID: the request does not check; OTLP_BODY_E_MEMORY.
 */

#include "symbolizer/base/arena.h"
#include "symbolizer/viewer/attributes.h"
#include "symbolizer/viewer/merge.h"

enum {
	OTLP_BODY_E_INVALID = 1,
	OTLP_BODY_E_MEMORY = 2,
};

struct otlp_body_place { /* of a mapping */
	uint32_t file;   /* number + 1; 0: not merged yet */
	uint32_t segment;
};

struct otlp_body {
	struct merge *merge; /* borrowed */
	struct arena arena;
	const Otlp__Request *request;
	const Otlp__Dictionary *dictionary;
	struct attribute *attributes; /* beside its table, as the rest */
	uint32_t *strings;            /* number + 1; 0: not merged yet */
	struct otlp_body_place *places;
	uint32_t *frames;
	uint32_t *stacks;
};
#define OTLP_BODY_STOP UINT32_MAX /* in `frames`: no frame, but what stands for a root */

/* Unpacks a request. Call otlp_body_deinit either way. */
int otlp_body_init(struct otlp_body *body, struct merge *merge, const uint8_t *bytes, size_t count);
void otlp_body_deinit(struct otlp_body *body);

/* otlp_body.c: strings and attributes */
int otlp_body_text(const struct otlp_body *body, int32_t index, const char **ret_text);
int otlp_body_string(struct otlp_body *body, int32_t index, uint32_t *ret_string);
int otlp_body_attribute(struct otlp_body *body, int32_t index, struct attribute **ret_attribute);
/* The merged string of an attribute's text. */
int otlp_body_attribute_string(struct otlp_body *body, struct attribute *attribute,
			       uint32_t *ret_string);

/* otlp_places.c: a merged frame; OTLP_BODY_STOP. @process: of the sample. @ret_own: it is of the
 * process alone. */
int otlp_body_frame(struct otlp_body *body, int32_t index, uint32_t process, uint32_t *ret_frame,
		    bool *ret_own);
