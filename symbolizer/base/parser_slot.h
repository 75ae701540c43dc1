/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * parser_slot - one open request to the parser: its descriptors, and the memory of its worker
 *
 * Memory     is charged before the request is sent: at first little, which suffices for nearly all
 *            files, and more when the worker has met that limit, up to what the budget has without
 *            PARSER_SLOT_OTHERS_BYTES, which are for small requests beside it; while other workers
 *            have the rest, the request waits. The whole is given back with the answer.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/event.h"
#include "shared/result.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/parser/parser.h"

#define PARSER_SLOT_LEAST_BYTES    (1u << 20)
#define PARSER_SLOT_FIRST_BYTES    (8u << 20)
#define PARSER_SLOT_LINES_BYTES    (32u << 20) /* the first ones of LINES */
#define PARSER_SLOT_DEMANGLE_BYTES (24u << 20) /* and of DEMANGLE, which holds all names at once */
#define PARSER_SLOT_OTHERS_BYTES   (8u << 20)  /* that no request which grows can take */
#define PARSER_SLOT_GROWTH         4u

struct parser_client_answer {
	enum tm_parse_failure failure; /* TM_PARSE_N: it did not fail, the answer is final */
	uint32_t status;               /* enum parser_status */
	uint32_t cpu_ms;               /* that it took; 0: not known */
	int fd; /* the result; -1: there is none. Closed after the callback unless set to -1 */
};

/* @value: that of the request. The callback must not send another request. */
typedef void (*parser_client_fn)(void *context, uint32_t value,
				 struct parser_client_answer *answer);

struct parser_client_request {
	enum parser_kind kind;              /* of a request */
	int target;                         /* borrowed descriptor of the file; -1: none */
	const struct tm_identity *identity; /* of the target, borrowed; NULL: not compared */
	int parts[PARSER_PARTS_MAX];        /* borrowed descriptors, `part_count` of them */
	uint32_t part_count;
	uint32_t count;  /* number of items that the parts hold */
	uint32_t cpu_ms; /* that LINES may take at most; 0: no limit but the parser's */
	uint32_t value;  /* passed to the callback, as `context` is */
	void *context;
	parser_client_fn fn;
};

struct parser_slot {
	bool used;
	parser_client_fn fn; /* NULL: cancelled or failed; a late answer is dropped */
	struct parser_client_request
		request; /* its descriptors are owned, its identity is not set */
	bool compares;   /* the target with `identity` */
	bool waits;      /* it has no worker until there is more memory, or the parser reads */
	bool unsent;     /* the memory is there */
	struct tm_identity identity;
	uint64_t memory; /* bytes charged for its worker */
	uint32_t cpu_ms; /* that its workers have taken */
	uint32_t id;
	int64_t sent_ms, deadline_ms;
};

enum {
	PARSER_SLOT_E_DESCRIPTORS = 1, /* none is free */
	PARSER_SLOT_E_MEMORY = 2,      /* the budget has too little */
};

/*
 * Copies the request and its descriptors, and charges its memory. @slot: zero.
 * Return: 0, PARSER_SLOT_E_DESCRIPTORS, PARSER_SLOT_E_MEMORY.
 */
int parser_slot_take(struct parser_slot *slot, const struct parser_client_request *request,
		     struct budget *memory);
/* Charges more memory. Return: 0, PARSER_SLOT_E_MEMORY. */
int parser_slot_grow(struct parser_slot *slot, struct budget *memory);
/* No answer is needed any more, but its worker may still run. */
void parser_slot_close(struct parser_slot *slot);
/* Its worker has ended. */
void parser_slot_free(struct parser_slot *slot, struct budget *memory);
