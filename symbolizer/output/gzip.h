/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * gzip - a protobuf-c buffer that compresses what is packed into it straight to a sink
 *
 * So that neither the packed nor the compressed form is ever whole in memory.
 */

#include <protobuf-c/protobuf-c.h>
#include <zlib.h>

struct output_file;

#define GZIP_CHUNK_BYTES 4096

struct gzip {
	ProtobufCBuffer base; /* first: protobuf-c hands it back as what it knows */
	z_stream stream;
	struct output_file *sink; /* borrowed */
	int error;                /* 0 or -errno, the first of zlib's */
};

/* Begins a gzip member. Return: 0, -ENOMEM. */
int gzip_init(struct gzip *deflater, struct output_file *sink);
/* Ends the member and flushes the sink. Return: 0, -errno. */
int gzip_finish(struct gzip *deflater);
void gzip_deinit(struct gzip *deflater);
