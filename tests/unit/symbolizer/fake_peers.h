/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * fake_peers - a fake collector and a fake command around the real symbolizer
 */

#include <sys/resource.h>
#include <sys/types.h>

#include "shared/region.h"
#include "shared/result.h"
#include "shared/ring.h"

#define FAKE_RING_BYTES (1u << 20)
#define FAKE_FORMATS    4

struct fake {
	pid_t pid;
	int control;
	int wire;
	int outputs[FAKE_FORMATS]; /* memfds: folded, html, pprof, speedscope */
	struct tm_region data;
	struct tm_region page;
	struct tm_ring_writer writer;
	struct tm_counts counts;
	rlim_t descriptors;
	int cache; /* descriptor; 0: none */
	bool off_cpu;
	int html; /* descriptor in place of the second memfd, taken; 0: none */
};

struct fake_end {
	struct tm_result result;
	struct tm_counts counts; /* as it sent them */
	uint64_t flushed;        /* W of FLUSHED */
	int refused;             /* OUTPUT messages with -EBADF */
	struct tm_top top[TM_TOP_ROWS];
	char notes[TM_CONTROL_TEXT];
	int top_count;
	int outputs; /* OUTPUT messages with code 0 */
	int done;    /* DONE with code 0 came */
	int status;  /* of wait */
};

/*
 * Starts the symbolizer and receives its HELLO. fake->descriptors: the limit of its descriptors; 0:
 * that of the test. All other fields except the cache and
 * the html output are 0.
 */
void fake_start(struct fake *fake, const char *program, const char *parser);
/* Hands over both regions and waits for READY. */
void fake_attach(struct fake *fake);
void fake_push(struct fake *fake, const void *record);
/* Publishes what was pushed, with the counts. */
void fake_publish(struct fake *fake, uint64_t watermark);
void fake_wire(struct fake *fake, enum tm_wire_kind kind, uint32_t number, uint64_t value, int fd);
/* Receives its next message on the wire; unwind tables, and the end of those
 * that come ahead, are skipped. */
void fake_receive_wire(struct fake *fake, struct tm_wire *message);
/* Receives the next unwind table and checks it. Return: its pages. */
uint32_t fake_rows(struct fake *fake, uint32_t number, uint64_t value);
/* Reads its messages until it has ended. */
void fake_end(struct fake *fake, struct fake_end *end);
/* Sends a new descriptor for output @index, which stays the caller's. */
void fake_target(struct fake *fake, uint64_t index, int fd);
/* Sends new files for all outputs and FLUSH, then reads its messages until FLUSHED. */
void fake_flush(struct fake *fake, struct fake_end *end);
/* The same in two steps. */
void fake_begin_flush(struct fake *fake);
void fake_end_flush(struct fake *fake, struct fake_end *end);
/* A predecessor reported, nothing yet, up to @ktime. */
void fake_resume(struct fake *fake, uint64_t ktime);
/* The folded output, NUL-terminated, to be freed. */
char *fake_folded(struct fake *fake);
