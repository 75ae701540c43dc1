/* SPDX-License-Identifier: Apache-2.0 */
/* transfer - sends one body at a time in a POST request, within limits */

#include "symbolizer/exporter/transfer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "symbolizer/exporter/headers.h"

#define ANSWER_BYTES     4096u /* at first */
#define CONTENT_PROTOBUF "application/x-protobuf"

static bool make_room(struct transfer *transfer, size_t bytes)
{
	size_t capacity = transfer->answer_capacity ? transfer->answer_capacity : ANSWER_BYTES;
	uint8_t *longer;

	while (capacity < transfer->answer_bytes + bytes)
		capacity *= 2;
	if (capacity == transfer->answer_capacity)
		return true;
	longer = realloc(transfer->answer, capacity);
	if (!longer)
		return false;
	transfer->answer = longer;
	transfer->answer_capacity = capacity;
	return true;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	size_t length = size * count;

	if (length > TRANSFER_ANSWER_MAX - transfer->answer_bytes) {
		transfer->too_large = true;
		return CURL_WRITEFUNC_ERROR;
	}
	if (!make_room(transfer, length))
		return CURL_WRITEFUNC_ERROR;
	memcpy(transfer->answer + transfer->answer_bytes, bytes, length);
	transfer->answer_bytes += length;
	return length;
}

static bool is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Of several, the last one holds. */
static void take_retry_after(struct transfer *transfer, const char *bytes, size_t length)
{
	static const char name[] = "retry-after:";
	size_t at = sizeof(name) - 1;

	if (length < at || strncasecmp(bytes, name, at) != 0)
		return;
	while (at < length && is_space(bytes[at]))
		at++;
	while (length > at && is_space(bytes[length - 1]))
		length--;
	transfer->retry_after[0] = '\0';
	if (length - at >= sizeof(transfer->retry_after) || memchr(bytes + at, '\0', length - at))
		return;
	memcpy(transfer->retry_after, bytes + at, length - at);
	transfer->retry_after[length - at] = '\0';
}

/* The empty line ends the headers, those of an interim answer (1xx) too. A return value other than
 * the length ends the transfer. */
static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	size_t length = size * count;
	long status = 0;

	transfer->header_bytes += length;
	if (transfer->header_bytes > TRANSFER_HEADERS_MAX)
		return 0;
	(void)curl_easy_getinfo(transfer->handle, CURLINFO_RESPONSE_CODE, &status);
	if (length > 0 && (bytes[0] == '\r' || bytes[0] == '\n'))
		transfer->answered = status >= 200;
	take_retry_after(transfer, bytes, length);
	return length;
}

/* Return: whether libcurl took every option, as all functions set_*. */
static bool set_protocol(CURL *handle, const struct options *options)
{
	unsigned bad = 0;

	bad |= curl_easy_setopt(handle, CURLOPT_URL, options->url);
	bad |= curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
	bad |= curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
	bad |= curl_easy_setopt(handle, CURLOPT_PROXY, "");
	bad |= curl_easy_setopt(handle, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	bad |= curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	bad |= curl_easy_setopt(handle, CURLOPT_HTTP_CONTENT_DECODING, 0L);
	bad |= curl_easy_setopt(handle, CURLOPT_USERAGENT, "tidemark/" TM_VERSION);
	bad |= curl_easy_setopt(handle, CURLOPT_POST, 1L);
	bad |= curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
	bad |= curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, (long)options->timeout_ms);
	bad |= curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, (long)options->timeout_ms);
	if (options->unix_socket)
		bad |= curl_easy_setopt(handle, CURLOPT_UNIX_SOCKET_PATH, options->unix_socket);
	return bad == 0;
}

static unsigned set_blob(CURL *handle, CURLoption option, void *bytes, size_t count)
{
	struct curl_blob blob = {bytes, count, CURL_BLOB_NOCOPY};

	return bytes ? curl_easy_setopt(handle, option, &blob) : CURLE_OK;
}

/* Without a password that is given here OpenSSL would ask the terminal for that of the key. */
static bool set_tls(CURL *handle, const struct network *network, const struct secrets *secrets)
{
	const struct secret *own = &secrets->certificate;
	unsigned bad = 0;

	bad |= curl_easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	bad |= curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L);
	bad |= curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L);
	bad |= curl_easy_setopt(handle, CURLOPT_CAPATH, NULL);
	bad |= curl_easy_setopt(handle, CURLOPT_CAINFO, NULL);
	if (own->bytes)
		bad |= set_blob(handle, CURLOPT_CAINFO_BLOB, own->bytes, own->count);
	else
		bad |= set_blob(handle, CURLOPT_CAINFO_BLOB, network->certificates,
				network->certificate_bytes);
	bad |= set_blob(handle, CURLOPT_SSLCERT_BLOB, secrets->client_certificate.bytes,
			secrets->client_certificate.count);
	bad |= set_blob(handle, CURLOPT_SSLKEY_BLOB, secrets->client_key.bytes,
			secrets->client_key.count);
	bad |= curl_easy_setopt(handle, CURLOPT_KEYPASSWD, "");
	return bad == 0;
}

static bool set_callbacks(struct transfer *transfer)
{
	CURL *handle = transfer->handle;
	unsigned bad = 0;

	bad |= curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
	bad |= curl_easy_setopt(handle, CURLOPT_WRITEDATA, transfer);
	bad |= curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_header);
	bad |= curl_easy_setopt(handle, CURLOPT_HEADERDATA, transfer);
	bad |= curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, transfer->error);
	if (!transfer->options->unix_socket) {
		bad |= curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, network_open_socket);
		bad |= curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, transfer->network);
	}
	return bad == 0;
}

int transfer_init(struct transfer *transfer, const struct options *options, struct network *network,
		  const struct secrets *secrets)
{
	int r;

	*transfer = (struct transfer){.options = options, .network = network};
	for (int gzip = 0; gzip < 2; gzip++) {
		r = headers_make(secrets->headers.bytes, secrets->headers.count, gzip,
				 &transfer->headers[gzip]);
		if (r < 0)
			return r;
	}
	transfer->handle = curl_easy_init();
	if (!transfer->handle)
		return -ENOMEM;
	if (!set_protocol(transfer->handle, options) ||
	    !set_tls(transfer->handle, network, secrets) || !set_callbacks(transfer))
		return -ENOTSUP;
	return 0;
}

int transfer_start(struct transfer *transfer, const struct body *body)
{
	unsigned bad = 0;

	transfer->answered = transfer->too_large = false;
	transfer->header_bytes = transfer->answer_bytes = 0;
	transfer->retry_after[0] = transfer->error[0] = '\0';
	bad |= curl_easy_setopt(transfer->handle, CURLOPT_HTTPHEADER,
				transfer->headers[body->is_gzip]);
	bad |= curl_easy_setopt(transfer->handle, CURLOPT_POSTFIELDSIZE_LARGE,
				(curl_off_t)body->count);
	bad |= curl_easy_setopt(transfer->handle, CURLOPT_POSTFIELDS, body->bytes);
	if (bad)
		return -ENOTSUP;
	if (curl_multi_add_handle(transfer->network->multi, transfer->handle) != CURLM_OK)
		return -ENOMEM;
	transfer->busy = true;
	return 0;
}

static enum transfer_result classify(CURLcode code)
{
	switch ((int)code) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_GOT_NOTHING:
	case CURLE_PARTIAL_FILE:
	case CURLE_OUT_OF_MEMORY:
		return TRANSFER_UNANSWERED;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
		return TRANSFER_UNTRUSTED;
	default:
		return TRANSFER_INVALID;
	}
}

/* What the body of an answer says; a compressed one says nothing that is read. */
static void read_answer(const struct transfer *transfer, long status, struct response *response)
{
	bool success = status >= 200 && status < 300;
	char *type = NULL;

	(void)curl_easy_getinfo(transfer->handle, CURLINFO_CONTENT_TYPE, &type);
	if (!success && type &&
	    strncasecmp(type, CONTENT_PROTOBUF, sizeof(CONTENT_PROTOBUF) - 1) != 0)
		response_take_text(transfer->answer, transfer->answer_bytes, response);
	else if (success &&
		 response_parse_success(transfer->answer, transfer->answer_bytes, response) < 0)
		(void)snprintf(response->message, sizeof(response->message),
			       "its answer cannot be read");
	else if (!success)
		(void)response_parse_error(transfer->answer, transfer->answer_bytes, response);
}

/* Of a unix socket, curl's own text names a host and a port that have no part in it. */
static void describe_error(const struct transfer *transfer, CURLcode code, struct response *ret)
{
	const char *path = transfer->options->unix_socket;
	const char *error = transfer->error[0] ? transfer->error : curl_easy_strerror(code);
	char text[sizeof(ret->message)];

	if (path) {
		(void)snprintf(text, sizeof(text), "%s: %s", path, curl_easy_strerror(code));
		error = text;
	} else if (network_explain(transfer->network, code, text, sizeof(text))) {
		error = text;
	}
	response_take_text((const uint8_t *)error, strlen(error), ret);
}

enum transfer_result transfer_end(struct transfer *transfer, CURLcode code, long *ret_status,
				  struct response *ret_response)
{
	enum transfer_result result = transfer->answered ? TRANSFER_ANSWERED : classify(code);

	*ret_status = 0;
	*ret_response = (struct response){0};
	if (result != TRANSFER_ANSWERED) {
		describe_error(transfer, code, ret_response);
	} else {
		(void)curl_easy_getinfo(transfer->handle, CURLINFO_RESPONSE_CODE, ret_status);
		if (code == CURLE_OK)
			read_answer(transfer, *ret_status, ret_response);
		else
			(void)snprintf(ret_response->message, sizeof(ret_response->message),
				       "its answer %s",
				       transfer->too_large ? "is too large" : "is cut short");
	}
	transfer_abort(transfer);
	return result;
}

void transfer_abort(struct transfer *transfer)
{
	if (transfer->busy)
		(void)curl_multi_remove_handle(transfer->network->multi, transfer->handle);
	transfer->busy = false;
	free(transfer->answer);
	transfer->answer = NULL;
	transfer->answer_bytes = transfer->answer_capacity = 0;
}

void transfer_deinit(struct transfer *transfer)
{
	transfer_abort(transfer);
	if (transfer->handle)
		curl_easy_cleanup(transfer->handle);
	curl_slist_free_all(transfer->headers[0]);
	curl_slist_free_all(transfer->headers[1]);
	*transfer = TRANSFER_NULL;
}
