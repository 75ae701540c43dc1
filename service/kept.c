/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept - what the collector wants kept for the next one: in systemd's store, and from there again
 */

#include "service/kept.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "shared/cleanup.h"

#define ALPHABET "abcdefghijklmnopqrstuvwxyz0123456789-"

static bool is_kept(const struct tm_service_fd *stored)
{
	return stored->fd >= 0 && strncmp(stored->name, KEPT_PREFIX, strlen(KEPT_PREFIX)) == 0;
}

void kept_pass(struct program *program, const struct tm_service *service)
{
	for (size_t i = 0; i < service->count; i++) {
		const struct tm_service_fd *stored = &service->fds[i];

		if (!is_kept(stored))
			continue;
		(void)fcntl(stored->fd, F_SETFD, 0);
		program_add(program, "--kept=%s:%d", stored->name + strlen(KEPT_PREFIX),
			    stored->fd);
	}
}

void kept_close(struct tm_service *service)
{
	for (size_t i = 0; i < service->count; i++)
		if (is_kept(&service->fds[i]))
			service->fds[i].fd = tm_close(service->fds[i].fd);
}

void kept_handle(const struct tm_service *service, struct tm_control *message, int fd)
{
	char name[TM_SERVICE_FD_NAME];
	int length, r = 0;

	message->body.text[TM_CONTROL_TEXT - 1] = '\0';
	length = snprintf(name, sizeof(name), KEPT_PREFIX "%s", message->body.text);
	if (length >= (int)sizeof(name) || strspn(name, ALPHABET) != (size_t)length)
		return;
	if (message->kind == TM_CONTROL_DROP)
		tm_service_unstore(service, name);
	else if (fd >= 0)
		r = tm_service_store(service, name, &fd, 1);
	if (r < 0)
		(void)fprintf(stderr, "%s cannot be kept for the next collector: %s\n", name,
			      strerror(-r));
}
