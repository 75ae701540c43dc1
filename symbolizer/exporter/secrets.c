/* SPDX-License-Identifier: Apache-2.0 */
/* secrets - certificates, key and headers, read from descriptors before the sandbox is entered */

#include "symbolizer/exporter/secrets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "symbolizer/exporter/headers.h"

#define READ_BYTES (64u << 10) /* at first */

static void forget(struct secret *secret)
{
	if (secret->bytes)
		explicit_bzero(secret->bytes, secret->count);
	free(secret->bytes);
	*secret = (struct secret){NULL, 0};
}

/* realloc(3) would leave a copy behind. Return: 0, -ENOMEM. */
static int grow(struct secret *secret, size_t *capacity)
{
	size_t more = *capacity ? *capacity * 2 : READ_BYTES;
	char *bytes = malloc(more);

	if (!bytes)
		return -ENOMEM;
	if (secret->bytes) {
		memcpy(bytes, secret->bytes, secret->count);
		explicit_bzero(secret->bytes, secret->count);
		free(secret->bytes);
	}
	secret->bytes = bytes;
	*capacity = more;
	return 0;
}

/* Return: 0 (also without a descriptor), -EFBIG, -ENOMEM, -errno. */
static int read_all(struct secret *secret, int fd, size_t most)
{
	_cleanup_(tm_closep) int owned = fd;
	size_t capacity = 0;

	while (owned >= 0) {
		ssize_t n;

		if (secret->count + 1 >= capacity) {
			int r = grow(secret, &capacity);

			if (r < 0)
				return r;
		}
		n = read(owned, secret->bytes + secret->count, capacity - secret->count - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		secret->count += (size_t)n;
		if (secret->count > most)
			return -EFBIG;
	}
	if (secret->bytes)
		secret->bytes[secret->count] = '\0';
	return 0;
}

int secrets_read(struct secrets *secrets, const struct options *options)
{
	int r = read_all(&secrets->headers, options->headers, HEADERS_BYTES_MAX);

	if (r == 0)
		r = read_all(&secrets->certificate, options->certificate, SECRETS_PEM_MAX);
	if (r == 0)
		r = read_all(&secrets->client_certificate, options->client_certificate,
			     SECRETS_PEM_MAX);
	if (r == 0)
		r = read_all(&secrets->client_key, options->client_key, SECRETS_PEM_MAX);
	return r;
}

void secrets_deinit(struct secrets *secrets)
{
	forget(&secrets->headers);
	forget(&secrets->certificate);
	forget(&secrets->client_certificate);
	forget(&secrets->client_key);
}
