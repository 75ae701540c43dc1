/* SPDX-License-Identifier: Apache-2.0 */
/*
 * otlp_endpoint - the URL that profiles are sent to, or the unix socket, from what a user wrote
 */

#include "shared/otlp_endpoint.h"

#include <stdio.h>
#include <string.h>

#define UNIX_SCHEME "unix://"
#define UNIX_URL    "http://localhost" /* names no host: nothing looks it up */

static bool is_printable(const char *text)
{
	for (; *text != '\0'; text++)
		if (*text <= ' ' || *text >= 0x7f)
			return false;
	return true;
}

/* Return: what follows the scheme; NULL: it is neither http nor https. */
static const char *behind_scheme(const char *text)
{
	static const char *const schemes[] = {"http://", "https://"};

	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++)
		if (strncmp(text, schemes[i], strlen(schemes[i])) == 0)
			return text + strlen(schemes[i]);
	return NULL;
}

static int parse_socket(const char *path, struct tm_otlp_endpoint *ret_endpoint)
{
	if (path[0] != '/' || strlen(path) >= TM_OTLP_ENDPOINT_SOCKET_BYTES)
		return TM_OTLP_ENDPOINT_E_FORM;
	(void)snprintf(ret_endpoint->socket, sizeof(ret_endpoint->socket), "%s", path);
	(void)snprintf(ret_endpoint->url, sizeof(ret_endpoint->url), "%s%s", UNIX_URL,
		       TM_OTLP_ENDPOINT_PATH);
	return 0;
}

int tm_otlp_endpoint_parse(const char *text, bool all_signals,
			   struct tm_otlp_endpoint *ret_endpoint)
{
	const char *host = behind_scheme(text), *path, *appended = "";
	size_t bytes = strlen(text);

	*ret_endpoint = (struct tm_otlp_endpoint){.url = ""};
	if (!is_printable(text) || bytes + sizeof(TM_OTLP_ENDPOINT_PATH) > TM_OTLP_ENDPOINT_BYTES)
		return TM_OTLP_ENDPOINT_E_FORM;
	if (strncmp(text, UNIX_SCHEME, strlen(UNIX_SCHEME)) == 0)
		return parse_socket(text + strlen(UNIX_SCHEME), ret_endpoint);
	/* Where a query or fragment would go, the convention does not say. */
	if (!host || host[0] == '\0' || host[0] == '/' || strpbrk(host, "#@"))
		return TM_OTLP_ENDPOINT_E_FORM;
	path = strchr(host, '/');
	if (!path || path[1] == '\0' || all_signals) {
		if (strchr(host, '?'))
			return TM_OTLP_ENDPOINT_E_FORM;
		appended = TM_OTLP_ENDPOINT_PATH;
		while (path && bytes > 0 && text[bytes - 1] == '/')
			bytes--;
	}
	(void)snprintf(ret_endpoint->url, sizeof(ret_endpoint->url), "%.*s%s", (int)bytes, text,
		       appended);
	return 0;
}
