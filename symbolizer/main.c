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
#include "symbolizer_filter.h"

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
	bool bad = fcntl(options->control_fd, F_SETFD, FD_CLOEXEC) < 0 ||
		   fcntl(options->wire_fd, F_SETFD, FD_CLOEXEC) < 0 ||
		   fcntl(options->parser_fd, F_SETFD, FD_CLOEXEC) < 0;

	if (options->debuginfod_fd >= 0)
		bad = bad || fcntl(options->debuginfod_fd, F_SETFD, FD_CLOEXEC) < 0;
	if (options->exporter_fd >= 0)
		bad = bad || fcntl(options->exporter_fd, F_SETFD, FD_CLOEXEC) < 0;
	if (options->cache_fd >= 0)
		bad = bad || fcntl(options->cache_fd, F_SETFD, FD_CLOEXEC) < 0;
	for (int i = 0; i < options->output_count; i++)
		bad = bad || fcntl(options->outputs[i].fd, F_SETFD, FD_CLOEXEC) < 0;
	return bad ? -EBADF : 0;
}

static int enter_sandbox(struct session *session)
{
	struct rlimit limit;
	unsigned long descriptors = FILES_MAX_OPEN + DESCRIPTORS_SPARE;
	int r;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return -errno;
	if (limit.rlim_max < descriptors)
		descriptors = limit.rlim_max;
	session->files.max_open = descriptors > 2 * DESCRIPTORS_SPARE
					  ? (uint32_t)descriptors - DESCRIPTORS_SPARE
					  : DESCRIPTORS_SPARE;
	if (session->files.max_open / DESCRIPTORS_MAPS < JIT_FILES_MAX)
		session->jit.max = session->files.max_open / DESCRIPTORS_MAPS;
	session->files.max_open -= session->jit.max;
	r = tm_sandbox_limits(descriptors, ADDRESS_SPACE_BYTES);
	return r < 0 ? r : tm_sandbox_filter(&symbolizer_filter);
}

static int fail(const struct options *options, enum tm_failure failure, const char *what, int r)
{
	struct tm_control_failure message = {0};

	(void)tm_control_failure_check(&message, (int)failure, r, what);
	(void)tm_control_failed(options->control_fd, &message);
	return 1;
}

static int run(struct session *session, const struct options *options)
{
	uint8_t pin[SHA256_BYTES];
	int r;

	r = table_cache_pin(pin, options->boot_id, options->parser_fd);
	if (r < 0)
		return fail(options, TM_FAILURE_INTERNAL, "cannot stat the parser program", r);
	r = parser_client_start(&session->parser, options->parser_fd);
	if (r < 0)
		return fail(options, TM_FAILURE_INTERNAL, "cannot start tidemark-parser", r);
	(void)tm_close(options->parser_fd);
	r = collector_link_attach(&session->link, options->control_fd, &session->reader.ring);
	if (r < 0)
		return fail(options, TM_FAILURE_PEER, "cannot attach to the collector", r);
	r = reporter_start(&session->reporter, options->control_fd);
	if (r < 0)
		return fail(options, TM_FAILURE_INTERNAL, "cannot start the reporter's thread", r);
	r = table_cache_thread_start(&session->cache_thread, &session->cache);
	if (r < 0)
		return fail(options, TM_FAILURE_INTERNAL, "cannot start the cache's thread", r);
	r = enter_sandbox(session);
	if (r < 0)
		return fail(options, TM_FAILURE_HOST, "the symbolizer could not enter its sandbox",
			    r);
	if (options->cache_fd >= 0)
		table_cache_open(&session->cache, options->cache_fd, pin);
	(void)tm_control_send(options->control_fd, TM_CONTROL_READY, 0, 0);
	r = event_loop_run(session);
	if (r == 0)
		r = event_loop_finish(session);
	if (r == EVENT_LOOP_E_ABANDONED)
		_exit(1); /* nobody waits for a report, least of all for one that is blocked */
	(void)tm_control_send(options->control_fd, TM_CONTROL_DONE, r, 0);
	return r < 0;
}

int main(int argc, char **argv)
{
	static struct session session;
	struct options options;
	const char *bad;
	int r;

	(void)prctl(PR_SET_NAME, "tidemark-symbolizer");
	(void)mallopt(M_ARENA_MAX, 1); /* one thread allocates what the other frees */
	ignore_signals();
	if (options_parse(&options, argc, argv, &bad) < 0) {
		(void)fprintf(stderr, "tidemark-symbolizer is started by tidemark: %s\n", bad);
		return 2;
	}
	r = check_descriptors(&options);
	if (r < 0)
		return fail(&options, TM_FAILURE_INTERNAL, "an inherited descriptor is not open",
			    r);
	r = tm_sandbox_harden();
	if (r < 0)
		return fail(&options, TM_FAILURE_HOST, "the symbolizer could not enter its sandbox",
			    r);
	r = session_init(&session, &options);
	if (r < 0)
		return fail(&options, TM_FAILURE_INTERNAL, "cannot allocate the recording's tables",
			    r);
	r = run(&session, &options);
	session_deinit(&session);
	/* The command may have sent something since we last read: it must still get our DONE. */
	(void)tm_fdpass_close(options.control_fd);
	return r;
}
