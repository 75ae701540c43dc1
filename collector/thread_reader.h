/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * thread_reader - reads what all threads do from a BPF iterator, for the symbolizer
 *
 * Shape      THREAD records in a sealed memfd, as TM_WIRE_THREADS says. They are read in slices of
 *            bounded time, so that the rounds go on.
 * Limits     TM_THREADS_MAX_BYTES; what is beyond is left out, and so are records that fail their
 *            check.
 * Threads    one.
 */

#include <stddef.h>
#include <stdint.h>

#include "collector/kallsyms.h"

#define THREAD_READER_SLICE_NS 2000000u

struct thread_reader {
	int fd;         /* of the iterator; < 0: nothing is being read */
	uint8_t *bytes; /* of TM_THREADS_MAX_BYTES */
	size_t count;
};
#define THREAD_READER_NULL ((struct thread_reader){.fd = -1})

enum {
	THREAD_READER_E_END = 1
};

/* @fd: the iterator, or -errno; taken. */
void thread_reader_begin(struct thread_reader *reader, int fd);
/* Return: 0: call it again; THREAD_READER_E_END: all is read; -errno. */
int thread_reader_advance(struct thread_reader *reader);
/* Rebases and seals what was read. Return: a descriptor, -errno. */
int thread_reader_seal(struct thread_reader *reader, struct kallsyms *symbols);
void thread_reader_deinit(struct thread_reader *reader);
