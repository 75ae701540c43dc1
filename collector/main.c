/* SPDX-License-Identifier: Apache-2.0 */
/* tidemark-collector - the privileged program: prepares the session, runs it and ends it */

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "collector/loader_kept.h"
#include "collector/privileges.h"
#include "collector/session.h"
#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/control.h"

#define KALLSYMS          "/proc/kallsyms"
#define LARGE_BLOCK       (128 << 10)
#define DESCRIPTORS_SPARE 128 /* besides those open at the start: pending files, iterators */

static int step_attach(struct session *session)
{
	int r;

	if (session->options->kept.adopted)
		return 0; /* the programs of the last collector are */
	r = percpu_ioctl(&session->loader.percpu, PERF_EVENT_IOC_SET_BPF, session->loader.sample);

	if (r < 0)
		return tm_control_failure_check(&session->failure, TM_FAILURE_HOST, r,
						"the kernel refused to attach to the perf events");
	return loader_attach(&session->loader, session->options, &session->failure);
}

/* After all BPF programs are attached, so that they have symbols as well. */
static int step_symbols(struct session *session)
{
	_cleanup_(tm_closep) int fd = loader_kernel_symbols(&session->loader, /* again= */ false);
	int r = kallsyms_begin(&session->symbols, tm_clock_ns());
	const char *why;

	if (r == 0 && fd < 0)
		fd = open(KALLSYMS, O_RDONLY | O_CLOEXEC);
	if (r == 0 && fd < 0)
		r = -errno;
	while (r == 0)
		r = kallsyms_read(&session->symbols, fd);
	why = cap_get_ambient(CAP_SYSLOG) ? "kernel.kptr_restrict is 2" : "CAP_SYSLOG is missing";
	if (r < 0 || session->symbols.count == 0)
		(void)tm_control_note(session->command,
				      "kernel functions stay unnamed: no address of a kernel "
				      "symbol can be read: %s",
				      r < 0 ? strerror(-r) : why);
	if (r != -ENOMEM)
		r = kallsyms_seal(&session->symbols);
	(void)malloc_trim(0);
	return tm_control_failure_check(&session->failure, TM_FAILURE_INTERNAL, r < 0 ? r : 0,
					"no memory for the kernel's symbols");
}

static int step_confine(struct session *session)
{
	_cleanup_(tm_closep) int lowest = fcntl(session->command, F_DUPFD_CLOEXEC, 0);
	unsigned long open_now = DESCRIPTORS_SPARE + (unsigned)(lowest > 0 ? lowest : 0) +
				 session->options->perf_count +
				 session->loader.percpu.maps.possible;
	int r = privileges_confine(open_now);

	return tm_control_failure_check(&session->failure, TM_FAILURE_HOST, r,
					"tidemark-collector cannot enter its sandbox");
}

/* The CPUs of @added came online since the last collector. */
static int prepare(struct session *session, struct options *options,
		   const struct options_perf *added, unsigned count)
{
	if (loader_load(&session->loader, options, &session->failure) < 0 ||
	    step_attach(session) < 0 || step_symbols(session) < 0 || session_connect(session) < 0 ||
	    step_confine(session) < 0)
		return -ECANCELED;
	for (unsigned i = 0; i < count; i++)
		session_add_cpu(session, added[i].cpu, added[i].fd);
	return tm_control_send(session->command, TM_CONTROL_READY, 0, 0);
}

int main(int argc, char **argv)
{
	static struct options options;
	static struct options_perf added[OPTIONS_CPUS_MAX];
	unsigned added_count = 0;
	static struct session session = {.options = &options,
					 .reported = -1,
					 .symbols = KALLSYMS_NULL,
					 .refresh = {.fd = -1},
					 .threads = {.fd = -1},
					 .ring = {.fd = -1},
					 .reader = {.fd = -1}};
	const char *wrong = "";

	if (options_parse(&options, argc, argv, &wrong) < 0) {
		(void)fprintf(stderr,
			      "tidemark-collector: missing or invalid option: %s "
			      "(only tidemark starts this program)\n",
			      wrong);
		return 2;
	}
	(void)prctl(PR_SET_NAME, "tidemark-collec"); /* 15 bytes are shown */
	/* A fixed threshold: else freeing one large block raises it, and later ones are never
	 * returned to the kernel. */
	(void)mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
	session.command = options.control_fd;
	session.opener = (struct opener_client){.fd = options.opener_fd};
	session.off_cpu =
		(struct off_cpu_rate){.target = options.off_cpu, .shift = OFF_CPU_RATE_SHIFT_FIRST};
	symbolizer_link_init(&session.link, options.wire_fd);
	if (options.keep)
		kept_begin(&options.kept, options.control_fd, loader_kept_layout(options.digest));
	if (options.kept.interrupted)
		(void)tm_control_note(
			options.control_fd,
			"sampling was interrupted: what the last collector left is of "
			"another version or other options, or incomplete");
	if (options.kept.adopted)
		added_count = options_adopt_events(&options, added);
	if (prepare(&session, &options, added, added_count) == 0) {
		session_run(&session);
		session_finish(&session);
	} else {
		(void)tm_control_failed(session.command, &session.failure);
	}
	if (session.failure.code) /* the next one begins anew */
		kept_drop(&options.kept, KEPT_LAYOUT, options.kept.layout);
	session_deinit(&session);
	return session.failure.code ? 1 : 0;
}
