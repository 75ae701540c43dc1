/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transfer - one download from one server into a memfd, within limits
 */

#include "symbolizer/debuginfod/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared/cleanup.h"

#define URL_BYTES      (DEBUGINFOD_URL_BYTES_MAX + 2 * DEBUGINFOD_BUILD_ID_MAX + 32)
#define HTTP_OK        200
#define HTTP_NOT_FOUND 404
#define RECEIVE_BYTES  (256L << 10) /* at once */
#define SEALS          (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	size_t length = size * count, written = 0;

	if (length > transfer->limit - transfer->bytes) {
		transfer->too_large = true;
		return CURL_WRITEFUNC_ERROR;
	}
	if (length > transfer->limit - *transfer->held)
		return CURL_WRITEFUNC_ERROR; /* another one needs the memory now */
	while (written < length) {
		ssize_t n = pwrite(transfer->memfd, bytes + written, length - written,
				   (off_t)transfer->bytes);

		if (n <= 0)
			return CURL_WRITEFUNC_ERROR;
		written += (size_t)n;
		transfer->bytes += (uint64_t)n;
		*transfer->held += (uint64_t)n;
	}
	return length;
}

/* A return value other than the length ends the transfer. */
static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;

	(void)bytes;
	transfer->header_bytes += size * count;
	return transfer->header_bytes > TRANSFER_HEADERS_MAX ? 0 : size * count;
}

/* Return: whether libcurl took every option. */
static bool set_protocol(CURL *handle, const struct transfer_request *request)
{
	bool secure = strncmp(request->server, "https:", 6) == 0;
	struct curl_blob certificates = {request->network->certificates,
					 request->network->certificate_bytes, CURL_BLOB_NOCOPY};
	unsigned bad = 0;

	bad |= curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
	bad |= curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR,
				secure ? "https" : "http,https");
	bad |= curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
	bad |= curl_easy_setopt(handle, CURLOPT_MAXREDIRS, (long)TRANSFER_REDIRECTS_MAX);
	bad |= curl_easy_setopt(handle, CURLOPT_PROXY, "");
	bad |= curl_easy_setopt(handle, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	bad |= curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	bad |= curl_easy_setopt(handle, CURLOPT_HTTP_CONTENT_DECODING, 0L);
	bad |= curl_easy_setopt(handle, CURLOPT_USERAGENT, "tidemark");
	bad |= curl_easy_setopt(handle, CURLOPT_FAILONERROR, 1L);
	bad |= curl_easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	bad |= curl_easy_setopt(handle, CURLOPT_CAPATH, NULL);
	bad |= curl_easy_setopt(handle, CURLOPT_CAINFO, NULL);
	if (certificates.data)
		bad |= curl_easy_setopt(handle, CURLOPT_CAINFO_BLOB, &certificates);
	return bad == 0;
}

static bool set_limits(CURL *handle, const struct transfer_request *request)
{
	const struct options *options = request->options;
	unsigned bad = 0;

	bad |= curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
	bad |= curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, (long)TRANSFER_CONNECT_SECONDS);
	bad |= curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, (long)TRANSFER_BYTES_PER_S_MIN);
	bad |= curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, (long)options->idle_seconds);
	bad |= curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, (long)request->timeout_ms);
	bad |= curl_easy_setopt(handle, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)options->file_bytes);
	bad |= curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, RECEIVE_BYTES);
	return bad == 0;
}

static bool set_callbacks(struct transfer *transfer, const struct transfer_request *request)
{
	CURL *handle = transfer->handle;
	unsigned bad = 0;

	bad |= curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
	bad |= curl_easy_setopt(handle, CURLOPT_WRITEDATA, transfer);
	bad |= curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_header);
	bad |= curl_easy_setopt(handle, CURLOPT_HEADERDATA, transfer);
	bad |= curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, transfer->error);
	bad |= curl_easy_setopt(handle, CURLOPT_PRIVATE, request->context);
	bad |= curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, network_open_socket);
	bad |= curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, request->network);
	return bad == 0;
}

static bool set_url(CURL *handle, const struct transfer_request *request)
{
	size_t length = strlen(request->server);
	char url[URL_BYTES];

	while (length > 0 && request->server[length - 1] == '/')
		length--;
	(void)snprintf(url, sizeof(url), "%.*s/buildid/%s/debuginfo", (int)length, request->server,
		       request->build_id);
	return curl_easy_setopt(handle, CURLOPT_URL, url) == CURLE_OK;
}

static int start(struct transfer *transfer, const struct transfer_request *request)
{
	transfer->memfd = memfd_create("debuginfo", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (transfer->memfd < 0)
		return -errno;
	transfer->handle = curl_easy_init();
	if (!transfer->handle)
		return -ENOMEM;
	if (!set_url(transfer->handle, request) || !set_protocol(transfer->handle, request) ||
	    !set_limits(transfer->handle, request) || !set_callbacks(transfer, request))
		return -ENOTSUP;
	if (curl_multi_add_handle(request->network->multi, transfer->handle) != CURLM_OK)
		return -ENOMEM;
	transfer->multi = request->network->multi;
	return 0;
}

int transfer_start(struct transfer *transfer, const struct transfer_request *request)
{
	int r;

	*transfer = (struct transfer){
		.memfd = -1,
		.limit = request->options->file_bytes,
		.held = request->held,
	};
	r = start(transfer, request);
	if (r < 0)
		transfer_deinit(transfer);
	return r;
}

static bool is_unreachable(CURLcode code)
{
	return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT ||
	       code == CURLE_OPERATION_TIMEDOUT || code == CURLE_SSL_CONNECT_ERROR ||
	       code == CURLE_PEER_FAILED_VERIFICATION;
}

/* Says what libcurl did not. */
static void describe(struct transfer *transfer, CURLcode code, long answered)
{
	size_t bytes = sizeof(transfer->error);

	if (transfer->error[0] != '\0')
		return;
	if (code != CURLE_OK)
		(void)snprintf(transfer->error, bytes, "%s", curl_easy_strerror(code));
	else if (answered != HTTP_OK)
		(void)snprintf(transfer->error, bytes, "its answer has the status %ld", answered);
	else
		(void)snprintf(transfer->error, bytes, "its answer is empty");
}

enum debuginfod_status transfer_end(struct transfer *transfer, CURLcode code, bool *ret_unreachable)
{
	long answered = 0;

	*ret_unreachable = is_unreachable(code);
	(void)curl_easy_getinfo(transfer->handle, CURLINFO_RESPONSE_CODE, &answered);
	if (code == CURLE_HTTP_RETURNED_ERROR && answered == HTTP_NOT_FOUND)
		return DEBUGINFOD_NOT_FOUND;
	if (code == CURLE_FILESIZE_EXCEEDED || transfer->too_large)
		return DEBUGINFOD_TOO_LARGE;
	if (code != CURLE_OK || answered != HTTP_OK || !transfer->bytes) {
		describe(transfer, code, answered);
		return DEBUGINFOD_FAILED;
	}
	if (fcntl(transfer->memfd, F_ADD_SEALS, SEALS) < 0)
		return DEBUGINFOD_FAILED;
	return DEBUGINFOD_OK;
}

void transfer_deinit(struct transfer *transfer)
{
	if (transfer->multi)
		(void)curl_multi_remove_handle(transfer->multi, transfer->handle);
	if (transfer->handle)
		curl_easy_cleanup(transfer->handle);
	if (transfer->held)
		*transfer->held -= transfer->bytes;
	transfer->memfd = tm_close(transfer->memfd);
	*transfer = TRANSFER_NULL;
}
