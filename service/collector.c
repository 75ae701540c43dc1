/* SPDX-License-Identifier: Apache-2.0 */
/* collector - takes the command's place for the collector of the service */

#include "service/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/confine.h"
#include "service/cpu_watch.h"
#include "service/events.h"
#include "service/kept.h"
#include "service/program.h"
#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/control.h"
#include "shared/fdpass.h"
#include "shared/option.h"
#include "shared/time_namespace.h"

#define HZ_MAX      10000
#define EXIT_FAILED 1
#define EXIT_USAGE  2
#define BATCH       64 /* messages between two looks at everything else */

struct manager {
	struct tm_service service;
	struct cpu_watch cpus;
	unsigned hz;
	pid_t pid;
	int process; /* pidfd of the collector */
	int control;
	int symbolizer_listener;
	int opener_listener;
	uint64_t stop_ms; /* when a collector that is to stop is killed; 0: it is not to */
	bool done;        /* it said so: its end is no failure */
};

static int failed(const char *what, int r)
{
	(void)fprintf(stderr, "%s: %s\n", what, strerror(-r));
	return EXIT_FAILED;
}

/* --- start ------------------------------------------------------------------------------------ */

/* Return: how many CPUs are new in @ret_cpus. */
static unsigned look(struct manager *manager, unsigned *ret_cpus)
{
	return cpu_watch_look(&manager->cpus, tm_clock_ms(), cpu_watch_suspended_ms(), ret_cpus);
}

static int take_events(struct manager *manager, struct events *events)
{
	static unsigned cpus[TM_CPUS_MAX];
	unsigned online = look(manager, cpus);
	int r = 0;

	events_take(events, &manager->service);
	if (events->count == 0)
		r = events_open(events, cpus, online, manager->hz);
	return r;
}

/* In the child: becomes the collector, which inherits its events and its end of @control. */
static _Noreturn void become(const struct manager *manager, const struct events *events,
			     int control, char **argv)
{
	static struct program program;
	char cpu[TM_CPUS_ONE_MAX];
	sigset_t none;

	program_init(&program, argv[1]);
	program_add_all(&program, argv + 2);
	program_add(&program, "--restart");
	if (manager->service.notify >= 0)
		program_add(&program, "--keep");
	kept_pass(&program, &manager->service);
	program_add(&program, "--hz=%s", argv[0]);
	program_add(&program, "--control-fd=%d", control);
	(void)fcntl(control, F_SETFD, 0);
	for (unsigned i = 0; i < events->count; i++) {
		(void)fcntl(events->items[i].fd, F_SETFD, 0);
		tm_cpus_write(events->items[i].cpu, cpu);
		program_add(&program, "--perf-fd=%s:%d", cpu, events->items[i].fd);
	}
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	_exit(program_become(&program));
}

/* Return: 0, -errno. */
static int start_collector(struct manager *manager, const struct events *events, char **argv)
{
	_cleanup_(tm_closep) int theirs = -1;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	manager->control = ends[0];
	theirs = ends[1];
	manager->pid = fork();
	if (manager->pid < 0)
		return -errno;
	if (manager->pid == 0)
		become(manager, events, theirs, argv);
	kept_close(&manager->service);
	manager->process = (int)syscall(SYS_pidfd_open, manager->pid, 0);
	for (unsigned i = 0; i < events->count; i++)
		(void)tm_close(events->items[i].fd);
	return manager->process < 0 ? -errno : 0;
}

static int open_manager(struct manager *manager)
{
	int r = tm_service_init(&manager->service);

	if (r == 0)
		r = cpu_watch_open(&manager->cpus);
	manager->symbolizer_listener = tm_service_take_listener(&manager->service, "symbolizer");
	manager->opener_listener = tm_service_take_listener(&manager->service, "opener");
	if (r == 0 && manager->symbolizer_listener < 0)
		r = -ENOTSOCK;
	return r;
}

/* --- messages --------------------------------------------------------------------------------- */

static void send_message(const struct manager *manager, enum tm_control_kind kind, uint64_t value,
			 int fd)
{
	const struct tm_control message = {.kind = kind, .value = value};

	(void)tm_fdpass_send(manager->control, &message, sizeof(message), fd, 0);
}

static void print_text(struct tm_control *message)
{
	message->body.text[TM_CONTROL_TEXT - 1] = '\0';
	(void)fprintf(stderr, "%s\n", message->body.text);
}

/* @fd: stays the caller's. */
static void handle_message(struct manager *manager, struct tm_control *message, int fd)
{
	switch (message->kind) {
	case TM_CONTROL_READY:
		send_message(manager, TM_CONTROL_START, 0, -1);
		return;
	case TM_CONTROL_STARTED:
		tm_service_notify(&manager->service, "READY=1\nSTATUS=sampling at %u Hz",
				  manager->hz);
		return;
	case TM_CONTROL_COUNTS:
		tm_service_alive(&manager->service, tm_clock_ms());
		return;
	case TM_CONTROL_NOTE:
	case TM_CONTROL_FAILED:
		print_text(message);
		return;
	case TM_CONTROL_KEEP:
	case TM_CONTROL_DROP:
		kept_handle(&manager->service, message, fd);
		return;
	case TM_CONTROL_DONE:
		manager->done = true;
		return;
	default:
		return;
	}
}

static void receive(struct manager *manager)
{
	struct tm_control message;

	for (unsigned i = 0; i < BATCH; i++) {
		_cleanup_(tm_closep) int fd = -1;
		int r = tm_fdpass_recv(manager->control, &message, sizeof(message), &fd,
				       MSG_DONTWAIT);

		if (r == TM_FDPASS_E_AGAIN)
			return;
		if (r != 0) {
			manager->control = tm_close(manager->control);
			return;
		}
		handle_message(manager, &message, fd);
	}
}

/* Of somebody who connected and died before we looked, only the connection is left. */
static void send_on(const struct manager *manager, int listener, enum tm_control_kind kind)
{
	struct pollfd end = {.events = POLLRDHUP};

	while ((end.fd = tm_service_accept(listener)) >= 0) {
		if (poll(&end, 1, 0) == 0)
			send_message(manager, kind, 0, end.fd);
		(void)tm_close(end.fd);
	}
}

static void sample_new_cpus(struct manager *manager)
{
	static unsigned cpus[TM_CPUS_MAX];
	unsigned count = look(manager, cpus);

	for (unsigned i = 0; i < count; i++) {
		int fd = tm_cpus_open_event(cpus[i], manager->hz);

		if (fd >= 0)
			send_message(manager, TM_CONTROL_CPU, cpus[i], fd);
		else if (fd != -ENODEV && fd != -ENXIO)
			(void)fprintf(stderr, "CPU %u came online and is not sampled: %s\n",
				      cpus[i], strerror(-fd));
		(void)tm_close(fd);
	}
}

/* --- life ------------------------------------------------------------------------------------- */

static void stop(struct manager *manager)
{
	if (manager->stop_ms)
		return;
	tm_service_notify(&manager->service, "STOPPING=1\nSTATUS=draining");
	send_message(manager, TM_CONTROL_STOP, 0, -1);
	manager->stop_ms = tm_clock_ms() + COLLECTOR_STOP_MS;
}

/* Return: whether the collector runs. */
static bool wait_and_serve(struct manager *manager)
{
	bool serves = !manager->stop_ms;
	struct pollfd ready[] = {
		{.fd = manager->process, .events = POLLIN},
		{.fd = manager->control, .events = POLLIN},
		{.fd = serves ? manager->service.signals : -1, .events = POLLIN},
		{.fd = serves ? manager->symbolizer_listener : -1, .events = POLLIN},
		{.fd = serves ? manager->opener_listener : -1, .events = POLLIN},
	};

	(void)poll(ready, sizeof(ready) / sizeof(ready[0]), CPU_WATCH_MS);
	if (ready[1].revents)
		receive(manager);
	if (ready[2].revents)
		stop(manager);
	if (ready[3].revents)
		send_on(manager, manager->symbolizer_listener, TM_CONTROL_ATTACH);
	if (ready[4].revents)
		send_on(manager, manager->opener_listener, TM_CONTROL_OPENER);
	if (serves)
		sample_new_cpus(manager);
	if (manager->stop_ms && tm_clock_ms() >= manager->stop_ms)
		(void)kill(manager->pid, SIGKILL);
	return !ready[0].revents;
}

/* Return: exit code. */
static int run(struct manager *manager)
{
	int status = 0;

	while (wait_and_serve(manager))
		continue;
	if (manager->control >= 0)
		receive(manager); /* what it sent at last */
	(void)waitpid(manager->pid, &status, 0);
	if (WIFSIGNALED(status))
		(void)fprintf(stderr, "tidemark-collector was killed by signal %d\n",
			      WTERMSIG(status));
	return manager->done && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EXIT_FAILED;
}

static void warn_of_rate(unsigned hz)
{
	unsigned most = tm_cpus_rate_most();

	if (most > 0 && most < hz)
		(void)fprintf(stderr,
			      "kernel.perf_event_max_sample_rate is %u, less than the rate of %u: "
			      "the kernel may stop sampling for moments, and what it leaves out is "
			      "counted as not run\n",
			      most, hz);
}

int collector_main(char **argv)
{
	static struct manager manager = {
		.process = -1, .control = -1, .symbolizer_listener = -1, .opener_listener = -1};
	static struct events events;
	int r;

	if (tm_option_number(argv[0], 1, HZ_MAX, &manager.hz) < 0) {
		(void)fprintf(stderr, "%s: a rate from 1 to %d is needed\n", argv[0], HZ_MAX);
		return EXIT_USAGE;
	}
	if (tm_time_namespace_is_shifted()) {
		(void)fprintf(stderr, "%s\n", TM_TIME_NAMESPACE_REFUSAL);
		return EXIT_FAILED;
	}
	r = open_manager(&manager);
	if (r < 0)
		return failed("what systemd hands over (is tidemark-symbolizer.socket started?)",
			      r);
	r = take_events(&manager, &events);
	if (r < 0)
		return failed("no perf event can be opened; where kernel.perf_event_paranoid is "
			      "above 2, `tidemark store-events` has to run before, as root",
			      r);
	warn_of_rate(manager.hz);
	r = start_collector(&manager, &events, argv);
	if (r < 0)
		return failed("tidemark-collector cannot be started", r);
	r = confine();
	if (r < 0)
		return failed("the sandbox cannot be entered", r);
	return run(&manager);
}
