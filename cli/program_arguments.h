/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * program_arguments - account, capabilities and arguments of each program, before any is started
 *
 * All but the descriptors that differ from one start to the next, which the starter adds
 * (starter/programs.c).
 */

#include "cli/preparation.h"

#define PROGRAM_ARGUMENTS_TITLE_BYTES 200
/*
 * Of --memory-max, for the programs themselves: text, heap, stacks and libraries of command,
 * collector, opener, symbolizer and parser (measured by tests/bench/memory.py: 8 MiB) and of the
 * starter (.7 MiB, of it .3 its own), of each program with libcurl, and for the states of threads,
 * which the kernel keeps.
 */
#define PROGRAM_ARGUMENTS_PROCESS_BYTES (12ull << 20)
#define PROGRAM_ARGUMENTS_CURL_BYTES    (10ull << 20)
#define PROGRAM_ARGUMENTS_OFF_CPU_BYTES (4ull << 20)
/* Of --memory-max, for what the exporter has to send: one part in so many, and at most so much. */
#define PROGRAM_ARGUMENTS_QUEUE_PART 8
#define PROGRAM_ARGUMENTS_QUEUE_MAX  (64ull << 20)

/* Of all programs that are opened. Return: 0, or an exit code, after printing why. */
int program_arguments_make(struct preparation *preparation);
/* What of --memory-max is set aside for the programs themselves. */
uint64_t program_arguments_process_bytes(const struct options *options);
/* "HOST: tidemark record ..." for the page. */
void program_arguments_title(const struct options *options,
			     char ret_title[PROGRAM_ARGUMENTS_TITLE_BYTES]);
