/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * service - the symbolizer without a command: who connects to it, when it reports, when it ends
 *
 * Shape      systemd hands over the listening sockets `parser` and `exporter`; these programs
 *            connect, at any time and again. Who connects to `status` gets our figures (status.h);
 *            root may connect to `reload` and change values (reload.h).
 *            A report is made every `every_ms`, give or take SERVICE_JITTER_PERCENT, so that many
 *            hosts do not send at the same instant.
 * End        a signal: one more report, which goes on for at most SERVICE_STOP_MS. The end of the
 *            collector: the last report; systemd starts the next symbolizer, which waits for the
 *            next collector.
 * Threads    the reader's, but for the exporter's socket, which the reporter accepts.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/service.h"
#include "shared/status.h"
#include "symbolizer/lag_window.h"
#include "symbolizer/options.h"
#include "symbolizer/reload.h"
#include "symbolizer/service_reported.h"

#define SERVICE_JITTER_PERCENT 20
#define SERVICE_STOP_MS        8000
#define SERVICE_WAIT_MS        250 /* between two looks for a collector while there is none */

enum {
	SERVICE_E_STOPPED = 1, /* a signal came */
	SERVICE_E_WAITING = 2, /* of service.c alone */
};

struct report_delivery;
struct report_job;
struct session;

struct service {
	struct tm_service manager;
	int parser_listener;
	int exporter_listener;
	int spool_listener;
	int status_listener;
	struct reload reload;
	struct service_reported reported;
	struct tm_status status;
	struct lag_window lags; /* of the status */
	uint64_t every_ms;
	uint64_t next_ms; /* when the next report is due */
	uint64_t random;  /* state of the jitter */
	bool stopping;    /* a signal came: one more report */
	uint64_t stop_until_ms;
};

/* Before the sandbox. Opens cache and parser program, which become options->cache_fd and
 * ->parser_fd; *ret_boot_id is the caller's. Return: 0, -errno; then @ret_what says what failed. */
int service_open(struct service *service, struct options *options, char **ret_boot_id,
		 const char **ret_what);
void service_close(struct service *service);
/* Connects to the collector's socket at @path, and waits until the collector says something, which
 * it does when it runs. Return: 0, SERVICE_E_STOPPED, -errno. */
int service_wait(struct service *service, const char *path, int *ret_wire);
/* Lets exporter and spool connect, as far as the options want them. */
void service_serve_delivery(const struct service *service, const struct options *options,
			    struct report_delivery *delivery);
/* Sampling goes on: reports are due from now on. */
void service_ready(struct service *service);
/* Lets a parser in, asks for reports, tells systemd that we live.
 * Return: 0, SERVICE_E_STOPPED: the last report is made, or it takes too long. */
int service_round(struct session *session);
/* One report was made: collector and systemd keep what all of them cover for our successor. */
void service_reported(struct session *session, const struct report_job *job);
