/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main - tidemark-symbolizer: reads the samples, names the frames and writes the report, sandboxed
 */

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/control.h"
#include "shared/fdpass.h"
#include "shared/sandbox.h"
#include "symbolizer/event_loop.h"
#include "symbolizer/service.h"
#include "symbolizer_filter.h"
#include "symbolizer_service_filter.h"

#define ADDRESS_SPACE_BYTES (4ul << 30)
#define DESCRIPTORS_SPARE   64u /* descriptors for everything but the profiled files */
#define DESCRIPTORS_MAPS    8u  /* one part in so many of the files' is for perf maps */

/*
 * The symbolizer exits when the command does, not by a key pressed at the terminal. SIGPIPE and
 * SIGXFSZ are ignored because write(2) then returns the error.
 */
static void ignore_signals(void)
{
	static const int signals[] = {SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGTSTP, SIGXFSZ};
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		(void)sigaction(signals[i], &ignore, NULL);
}

static int check_descriptors(const struct options *options)
{
	bool bad = options->control_fd < 0 || fcntl(options->control_fd, F_SETFD, FD_CLOEXEC) < 0 ||
		   fcntl(options->wire_fd, F_SETFD, FD_CLOEXEC) < 0 ||
		   fcntl(options->parser_fd, F_SETFD, FD_CLOEXEC) < 0;

	if (options->debuginfod_fd >= 0)
		bad = bad || fcntl(options->debuginfod_fd, F_SETFD, FD_CLOEXEC) < 0;
	if (options->exporter_fd >= 0)
		bad = bad || fcntl(options->exporter_fd, F_SETFD, FD_CLOEXEC) < 0;
	if (options->spool_fd >= 0)
		bad = bad || fcntl(options->spool_fd, F_SETFD, FD_CLOEXEC) < 0;
	if (options->cache_fd >= 0)
		bad = bad || fcntl(options->cache_fd, F_SETFD, FD_CLOEXEC) < 0;
	for (int i = 0; i < options->output_count; i++)
		bad = bad || fcntl(options->outputs[i].fd, F_SETFD, FD_CLOEXEC) < 0;
	return bad ? -EBADF : 0;
}

static int enter_sandbox(struct session *session)
{
	unsigned long descriptors = tm_sandbox_descriptors(FILES_MAX_OPEN + DESCRIPTORS_SPARE);
	int r;

	session->files.max_open = descriptors > 2 * DESCRIPTORS_SPARE
					  ? (uint32_t)descriptors - DESCRIPTORS_SPARE
					  : DESCRIPTORS_SPARE;
	if (session->files.max_open / DESCRIPTORS_MAPS < JIT_FILES_MAX)
		session->jit.max = session->files.max_open / DESCRIPTORS_MAPS;
	session->files.max_open -= session->jit.max;
	r = tm_sandbox_limits(descriptors, ADDRESS_SPACE_BYTES);
	if (r < 0)
		return r;
	return tm_sandbox_filter(session->service ? &symbolizer_service_filter
						  : &symbolizer_filter);
}

static int fail(const struct options *options, enum tm_failure failure, const char *what, int r)
{
	struct tm_control_failure message = {0};

	(void)tm_control_failure_check(&message, (int)failure, r, what);
	(void)tm_control_failed(options->control_fd, &message);
	return 1;
}

/* The command's parser is our child; the service's connects to us. */
static int start_parser(struct session *session, const struct options *options)
{
	int r = session->service ? 0 : parser_client_start(&session->parser, options->parser_fd);

	(void)tm_close(options->parser_fd);
	return r;
}

static int start_threads(struct session *session, const struct options *options)
{
	int r = reporter_start(&session->reporter, options->control_fd);

	if (r == 0)
		r = report_delivery_start(&session->delivery);
	return r < 0 ? r : table_cache_thread_start(&session->cache_thread, &session->cache);
}

/* Return: always -ECANCELED, after saying why. */
static int refuse(const struct options *options, enum tm_failure failure, const char *what, int r)
{
	(void)fail(options, failure, what, r);
	return -ECANCELED;
}

/* Return: 0; -ECANCELED, after saying why. */
static int prepare(struct session *session, const struct options *options)
{
	uint8_t pin[TM_SHA256_BYTES];
	int r;

	file_systems_init(&session->cache.systems, options->boot_id);
	file_systems_learn(&session->cache.systems, options->parser_fd);
	file_systems_learn(&session->cache.systems, options->cache_fd);
	r = table_cache_pin(pin, &session->cache.systems, options->parser_fd);
	if (r < 0)
		return refuse(options, TM_FAILURE_INTERNAL, "cannot stat the parser program", r);
	r = start_parser(session, options);
	if (r < 0)
		return refuse(options, TM_FAILURE_INTERNAL, "cannot start tidemark-parser", r);
	r = collector_link_attach(&session->link, options->control_fd, &session->reader.ring);
	if (r < 0)
		return refuse(options, TM_FAILURE_PEER, "cannot attach to the collector", r);
	r = start_threads(session, options);
	if (r < 0)
		return refuse(options, TM_FAILURE_INTERNAL, "cannot start a thread", r);
	r = enter_sandbox(session);
	if (r < 0)
		return refuse(options, TM_FAILURE_HOST,
			      "the symbolizer could not enter its sandbox", r);
	if (options->cache_fd >= 0)
		table_cache_open(&session->cache, options->cache_fd, pin);
	return 0;
}

static int run(struct session *session, const struct options *options)
{
	int r = prepare(session, options);

	if (r < 0)
		return 1;
	(void)tm_control_send(options->control_fd, TM_CONTROL_READY, 0, 0);
	if (session->service)
		service_ready(session->service);
	r = event_loop_run(session);
	if (r == 0)
		r = event_loop_finish(session);
	if (r == EVENT_LOOP_E_STOPPED)
		return 0;
	if (r == EVENT_LOOP_E_ABANDONED)
		_exit(1); /* nobody waits for a report, least of all for one that is blocked */
	(void)tm_control_send(options->control_fd, TM_CONTROL_DONE, r, 0);
	return r < 0;
}

/* Of the command, or of systemd. Return: 0; another value, after saying why. */
static int take_descriptors(struct service *service, struct options *options, char **ret_boot_id)
{
	const char *what = "";
	int r;

	if (!options->service) {
		r = check_descriptors(options);
		return r < 0 ? fail(options, TM_FAILURE_INTERNAL,
				    "an inherited descriptor is not open", r)
			     : 0;
	}
	r = service_open(service, options, ret_boot_id, &what);
	return r < 0 ? fail(options, TM_FAILURE_HOST, what, r) : 0;
}

int main(int argc, char **argv)
{
	static struct session session;
	static struct service service;
	_cleanup_(tm_freep) char *boot_id = NULL;
	struct options options;
	const char *bad;
	int r;

	(void)prctl(PR_SET_NAME, "tidemark-symbolizer");
	(void)mallopt(M_ARENA_MAX, 1); /* one thread allocates what the other frees */
	ignore_signals();
	if (options_parse(&options, argc, argv, &bad) < 0) {
		(void)fprintf(stderr, "tidemark-symbolizer is started by tidemark or systemd: %s\n",
			      bad);
		return 2;
	}
	if (take_descriptors(&service, &options, &boot_id) != 0)
		return 1;
	r = tm_sandbox_harden();
	if (r < 0)
		return fail(&options, TM_FAILURE_HOST, "the symbolizer could not enter its sandbox",
			    r);
	if (options.service) {
		r = service_wait(&service, options.connect, &options.wire_fd);
		if (r == SERVICE_E_STOPPED)
			return 0;
		if (r < 0)
			return fail(&options, TM_FAILURE_PEER, options.connect, r);
	}
	if (options.ask_memory) {
		r = collector_link_memory(options.wire_fd, options.control_fd, options.memory_bytes,
					  &options.memory_bytes);
		if (r < 0)
			return fail(&options, TM_FAILURE_PEER, "cannot attach to the collector", r);
	}
	r = session_init(&session, &options);
	if (r < 0)
		return fail(&options, TM_FAILURE_INTERNAL, "cannot allocate the recording's tables",
			    r);
	if (options.service) {
		session.service = &service;
		service_serve_delivery(&service, &options, &session.delivery);
	}
	r = run(&session, &options);
	session_deinit(&session);
	/* The command may have sent something since we last read: it must still get our DONE. */
	(void)tm_fdpass_close(options.control_fd);
	if (options.service)
		service_close(&service);
	return r;
}
