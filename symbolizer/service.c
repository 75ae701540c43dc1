/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service - the symbolizer without a command: who connects to it, when it reports, when it ends
 */

#include "symbolizer/service.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"
#include "symbolizer/profile/reported.h"
#include "symbolizer/session.h"
#include "symbolizer/status.h"

#define BOOT_ID       "/proc/sys/kernel/random/boot_id"
#define BOOT_ID_BYTES 64

/* --- before the sandbox ----------------------------------------------------------------------- */

static int read_boot_id(char **ret_id)
{
	_cleanup_(tm_closep) int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	_cleanup_(tm_freep) char *id = calloc(1, BOOT_ID_BYTES);
	ssize_t bytes;

	if (fd < 0 || !id)
		return fd < 0 ? -errno : -ENOMEM;
	bytes = read(fd, id, BOOT_ID_BYTES - 1);
	if (bytes <= 0)
		return bytes < 0 ? -errno : -ENODATA;
	id[strcspn(id, "\n")] = '\0';
	*ret_id = TM_TAKE_PTR(id);
	return 0;
}

/* The cache lies in a folder of our own. Return: descriptor, -errno. */
static int open_cache(const char *path)
{
	_cleanup_(tm_closep) int fd =
		open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_nlink != 1)
		return -EINVAL;
	return flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : TM_TAKE_FD(fd);
}

/* Return: 0, -errno; @ret_what. */
static int open_files(struct options *options, char **ret_boot_id, const char **ret_what)
{
	int r;

	*ret_what = BOOT_ID;
	r = read_boot_id(ret_boot_id);
	if (r < 0)
		return r;
	*ret_what = options->parser;
	options->parser_fd = open(options->parser, O_RDONLY | O_CLOEXEC);
	if (options->parser_fd < 0)
		return -errno;
	if (!options->cache)
		return 0;
	*ret_what = options->cache;
	options->cache_fd = open_cache(options->cache);
	options->boot_id = *ret_boot_id;
	return options->cache_fd < 0 ? options->cache_fd : 0;
}

int service_open(struct service *service, struct options *options, char **ret_boot_id,
		 const char **ret_what)
{
	int r;

	*ret_what = "what the service manager hands over";
	memset(service, 0, sizeof(*service)); /* too large for a compound literal */
	service->every_ms = options->every_ms;
	service->next_ms = UINT64_MAX;
	service->reload = RELOAD_NULL;
	service->reload.interval_ms = options->every_ms;
	service->reload.memory_bytes = options->memory_bytes;
	r = tm_service_init(&service->manager);
	service->parser_listener = tm_service_take_listener(&service->manager, "parser");
	service->exporter_listener = tm_service_take_listener(&service->manager, "exporter");
	service->spool_listener = tm_service_take_listener(&service->manager, "spool");
	service->status_listener = tm_service_take_listener(&service->manager, "status");
	service->reload.listener = tm_service_take_listener(&service->manager, "reload");
	service_reported_open(&service->reported, &service->manager);
	if (r == 0 && getrandom(&service->random, sizeof(service->random), 0) < 0)
		r = -errno;
	return r < 0 ? r : open_files(options, ret_boot_id, ret_what);
}

void service_close(struct service *service)
{
	service->parser_listener = tm_close(service->parser_listener);
	service->exporter_listener = tm_close(service->exporter_listener);
	service->spool_listener = tm_close(service->spool_listener);
	service->status_listener = tm_close(service->status_listener);
	reload_deinit(&service->reload);
	tm_service_deinit(&service->manager);
}

/* @wire: -1: none yet. Return: 0: it has something to say; SERVICE_E_WAITING; SERVICE_E_STOPPED;
 * -errno. */
static int wait_a_moment(struct service *service, int wire)
{
	struct pollfd ready[] = {
		{.fd = wire, .events = POLLIN},
		{.fd = service->manager.signals, .events = POLLIN},
	};
	int r = poll(ready, 2, SERVICE_WAIT_MS);

	if (r < 0 && errno != EINTR)
		return -errno;
	tm_service_alive(&service->manager, tm_clock_ms());
	if (r > 0 && ready[1].revents)
		return SERVICE_E_STOPPED;
	return r > 0 && ready[0].revents ? 0 : SERVICE_E_WAITING;
}

int service_wait(struct service *service, const char *path, int *ret_wire)
{
	_cleanup_(tm_closep) int wire = -1;
	int r;

	tm_service_notify(&service->manager, "READY=1\nSTATUS=waiting for the collector");
	do {
		if (wire < 0)
			wire = tm_service_connect(path);
		if (wire < 0 && wire != -ENOENT && wire != -ECONNREFUSED)
			return wire;
		r = wait_a_moment(service, wire < 0 ? -1 : wire);
	} while (r == SERVICE_E_WAITING);
	if (r == 0)
		*ret_wire = TM_TAKE_FD(wire);
	return r;
}

/* --- rounds ----------------------------------------------------------------------------------- */

/* A report follows after every_ms, give or take the jitter. */
static void set_next(struct service *service, uint64_t now_ms)
{
	const uint64_t span = 2 * service->every_ms * SERVICE_JITTER_PERCENT / 100;
	uint64_t early = service->every_ms * SERVICE_JITTER_PERCENT / 100;

	/* A linear congruential generator (Knuth, MMIX): hosts differ, nobody must not guess it. */
	service->random = service->random * 6364136223846793005ull + 1442695040888963407ull;
	service->next_ms =
		now_ms + service->every_ms - early + (service->random >> 33) % (span + 1);
}

void service_serve_delivery(const struct service *service, const struct options *options,
			    struct report_delivery *delivery)
{
	report_delivery_serve(delivery, options->exports ? service->exporter_listener : -1,
			      options->spools ? service->spool_listener : -1);
}

static void say_interval(const struct service *service)
{
	tm_service_notify(&service->manager, "STATUS=reporting every %llu ms",
			  (unsigned long long)service->every_ms);
}

void service_ready(struct service *service)
{
	say_interval(service);
	service->status.started = tm_clock_ns();
	service->lags = (struct lag_window){0};
	set_next(service, tm_clock_ms());
}

static void let_parser_in(struct session *session, struct service *service)
{
	struct parser_client *parser = &session->parser;
	int fd;

	if (parser->socket >= 0)
		return;
	fd = tm_service_accept(service->parser_listener);
	if (fd >= 0)
		parser_client_attach(parser, fd, parser->number + 1);
}

static void ask_for_report(struct session *session, struct service *service, uint64_t now_ms)
{
	if (session->flush_pending || !session->interval) /* that is the last one */
		return;
	session->flush_pending = true;
	set_next(service, now_ms);
}

/* What root has changed holds from the next interval on, which begins now. */
static void reload(struct session *session, struct service *service, uint64_t now_ms)
{
	if (!reload_round(session, &service->reload, now_ms))
		return;
	service->every_ms = service->reload.interval_ms;
	say_interval(service);
	ask_for_report(session, service, now_ms);
	set_next(service, now_ms); /* also where one was asked for already */
}

static void serve_status(struct session *session, struct service *service)
{
	service->status.interval_ms = service->every_ms;
	service->status.reloads = service->reload.taken;
	service->status.reloads_refused = service->reload.refused;
	status_serve(session, &service->status, &service->lags, service->status_listener);
}

/* Return: whether the report that was asked for at the signal is made. */
static bool is_reported(struct session *session)
{
	return !session->flush_pending && reporter_is_idle(&session->reporter);
}

int service_round(struct session *session)
{
	struct service *service = session->service;
	uint64_t now_ms = tm_clock_ms();

	tm_service_alive(&service->manager, now_ms);
	let_parser_in(session, service);
	serve_status(session, service);
	if (service->stopping)
		return is_reported(session) || now_ms >= service->stop_until_ms ? SERVICE_E_STOPPED
										: 0;
	reload(session, service, now_ms);
	if (now_ms >= service->next_ms)
		ask_for_report(session, service, now_ms);
	if (!tm_service_is_stopped(&service->manager))
		return 0;
	tm_service_notify(&service->manager, "STOPPING=1\nSTATUS=making the last report");
	service->stopping = true;
	service->stop_until_ms = now_ms + SERVICE_STOP_MS;
	ask_for_report(session, service, now_ms);
	return 0;
}

void service_reported(struct session *session, const struct report_job *job)
{
	const struct tm_wire message = {.kind = TM_WIRE_REPORTED};
	_cleanup_(tm_closep) int blob = -1;

	status_add(&session->service->status, job);
	blob = reported_seal(&job->baseline, session->reader.ring.header->generation,
			     job->last ? job->times.end_ktime : job->until_ktime);
	if (blob < 0)
		return;
	service_reported_keep(&session->service->reported, &session->service->manager, blob);
	if (!job->last)
		(void)tm_fdpass_send(session->link.wire, &message, sizeof(message), blob,
				     MSG_DONTWAIT);
}
