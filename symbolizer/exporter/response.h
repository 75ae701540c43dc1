/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * response - reads what a receiver says about a request, from untrusted bytes
 *
 * Shape      protobuf. Of a success: ExportProfilesServiceResponse{1: partial_success{1: rejected
 *            profiles, 2: message}}. Of a failure: google.rpc.Status{2: message}.
 * Limits     fields are read in place and once; a message is cut to RESPONSE_MESSAGE_BYTES. Depth
 *            is fixed, unknown fields are skipped, groups are invalid.
 * Text       a message is UTF-8 without control characters, whatever was received (shared/utf8.h).
 * Source     protobuf's encoding; profiles_service.proto of opentelemetry-proto;
 *            google/rpc/status.proto.
 */

#include <stddef.h>
#include <stdint.h>

#define RESPONSE_MESSAGE_BYTES 256u /* the NUL included */

struct response {
	uint64_t rejected;                    /* profiles; a negative number counts as 0 */
	char message[RESPONSE_MESSAGE_BYTES]; /* "": none */
};

/* The answer to a request that was accepted. Return: 0; -EBADMSG: it is no such message, and
 * *response is empty. */
int response_parse_success(const uint8_t *bytes, size_t count, struct response *response);
/* The answer to one that was not. Return: as above. */
int response_parse_error(const uint8_t *bytes, size_t count, struct response *response);
/* A text that is no protobuf, without the line breaks at its end. */
void response_take_text(const uint8_t *bytes, size_t count, struct response *response);
