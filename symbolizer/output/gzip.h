/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * gzip - a protobuf-c buffer that compresses what is packed into it into an output file
 *
 * Neither the packed nor the compressed form is ever complete in memory.
 */

#include <stdint.h>

#include <protobuf-c/protobuf-c.h>
#include <zlib.h>

struct output_file;

#define GZIP_INPUT_BYTES  8192 /* collected for zlib: protobuf-c appends a few bytes at a time */
#define GZIP_OUTPUT_BYTES 4096

struct gzip {
	ProtobufCBuffer base; /* first member: protobuf-c passes a pointer to it */
	z_stream stream;
	struct output_file *out; /* borrowed */
	int error;               /* 0 or -errno, the first of zlib's */
	unsigned used;           /* bytes of `input` */
	uint8_t input[GZIP_INPUT_BYTES];
	uint8_t output[GZIP_OUTPUT_BYTES];
};

/* Begins a gzip member. Return: 0, -ENOMEM. */
int gzip_init(struct gzip *gzip, struct output_file *out);
/* Ends the member and flushes the file. Return: 0, -errno. */
int gzip_finish(struct gzip *gzip);
void gzip_deinit(struct gzip *gzip);
