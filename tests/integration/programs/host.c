/* SPDX-License-Identifier: Apache-2.0 */
/* host - a real collector at work, for a program that plays both the command and the symbolizer */

#include "tests/integration/programs/host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"

#define CPUS_MAX      256
#define ARGUMENTS_MAX (CPUS_MAX + 8)
#define TEXT_BYTES    32
#define POLL_MS       1000
#define PAGE          4096
#define SPIN_STEPS    300000u

struct start {
	int control, wire, opener;
	unsigned cpus;
	int events[CPUS_MAX]; /* -1: offline */
};

static int open_event(unsigned cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000u / HOST_HZ,
		.disabled = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int inherit(int fd)
{
	return fcntl(fd, F_SETFD, 0);
}

/* In the child: executes the collector with its descriptors under the numbers that they have. */
static _Noreturn void become(const struct start *start, const char *path)
{
	static char texts[ARGUMENTS_MAX][TEXT_BYTES];
	static char *arguments[ARGUMENTS_MAX + 1];
	char name[] = "tidemark-collector", restart[] = "--restart";
	unsigned count = 0, text = 0;

	arguments[count++] = name;
	arguments[count++] = restart;
	(void)snprintf(arguments[count++] = texts[text++], TEXT_BYTES, "--control-fd=%d",
		       start->control);
	(void)snprintf(arguments[count++] = texts[text++], TEXT_BYTES, "--wire-fd=%d", start->wire);
	(void)snprintf(arguments[count++] = texts[text++], TEXT_BYTES, "--opener-fd=%d",
		       start->opener);
	(void)snprintf(arguments[count++] = texts[text++], TEXT_BYTES, "--hz=%d", HOST_HZ);
	for (unsigned cpu = 0; cpu < start->cpus; cpu++) {
		if (start->events[cpu] < 0)
			continue;
		(void)inherit(start->events[cpu]);
		(void)snprintf(arguments[count++] = texts[text++], TEXT_BYTES, "--perf-fd=%u:%d",
			       cpu, start->events[cpu]);
	}
	if (inherit(start->control) == 0 && inherit(start->wire) == 0 &&
	    inherit(start->opener) == 0)
		(void)execv(path, arguments);
	_exit(127);
}

/* A page of code in a file of its own. Return: where it is mapped, NULL. */
static void *map_code(const char *folder, unsigned number)
{
	/* push rbp; mov rsp,rbp; 1: dec %edi; jnz 1b; pop rbp; ret */
	static const uint8_t code[PAGE] = {0x55, 0x48, 0x89, 0xe5, 0xff,
					   0xcf, 0x75, 0xfc, 0x5d, 0xc3};
	_cleanup_(tm_closep) int fd = -1;
	char path[PATH_MAX];
	void *at;

	(void)snprintf(path, sizeof(path), "%s/code-%02u", folder, number);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0755);
	if (fd < 0 || write(fd, code, sizeof(code)) != (ssize_t)sizeof(code))
		return NULL;
	at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

/* Code to be sampled, in many files. */
static _Noreturn void spin(pid_t parent, const char *folder)
{
	void (*functions[HOST_CODES])(unsigned steps);

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned i = 0; i < HOST_CODES; i++) {
		void *at = map_code(folder, i);

		if (!at)
			_exit(1);
		memcpy(&functions[i], &at, sizeof(at));
	}
	while (getppid() == parent)
		for (unsigned i = 0; i < HOST_CODES; i++)
			functions[i](SPIN_STEPS);
	_exit(0);
}

/* Return: 0, -ETIMEDOUT, -EPIPE. */
static int hear_control(struct host *host)
{
	static struct tm_control message;
	int r = tm_fdpass_recv(host->control, &message, sizeof(message), NULL, MSG_DONTWAIT);

	if (r == TM_FDPASS_E_AGAIN)
		return 0;
	if (r != 0 || message.kind == TM_CONTROL_FAILED || message.kind == TM_CONTROL_DONE) {
		if (r == 0 && message.kind == TM_CONTROL_FAILED)
			(void)printf("the collector failed: %.*s\n", TM_CONTROL_TEXT,
				     message.body.text);
		host->over = true;
	} else if (message.kind == TM_CONTROL_READY) {
		message = (struct tm_control){.kind = TM_CONTROL_START};
		if (tm_fdpass_send(host->control, &message, sizeof(message), -1, 0) != 0)
			host->over = true;
	} else if (message.kind == TM_CONTROL_STARTED) {
		host->started = true;
	} else if (message.kind == TM_CONTROL_COUNTS) {
		host->counts = message.body.counts;
		host->reports++;
	}
	return 0;
}

static void hear_wire(struct host *host)
{
	_cleanup_(tm_closep) int fd = -1;
	struct tm_wire message;
	int r = tm_fdpass_recv(host->wire, &message, sizeof(message), &fd, MSG_DONTWAIT);

	if (r == TM_FDPASS_E_AGAIN)
		return;
	if (r != 0) {
		host->wire = tm_close(host->wire);
	} else if (message.kind == TM_WIRE_FILE) {
		const struct tm_wire credit = {.kind = TM_WIRE_CREDIT, .value = 1};

		if (host->file_count < HOST_CODES)
			host->files[host->file_count++] = message;
		(void)tm_fdpass_send(host->wire, &credit, sizeof(credit), -1, 0);
	}
}

int host_until(struct host *host, bool (*met)(const struct host *host, const void *context),
	       const void *context)
{
	uint64_t from = host->reports;

	for (unsigned quiet = 0; !met(host, context);) {
		struct pollfd fds[] = {{.fd = host->control, .events = POLLIN},
				       {.fd = host->wire, .events = POLLIN}};

		if (host->over)
			return -EPIPE;
		if (host->reports - from > HOST_PATIENCE || quiet > HOST_PATIENCE)
			return -ETIMEDOUT;
		if (poll(fds, 2, POLL_MS) == 0)
			quiet++;
		if (fds[0].revents)
			(void)hear_control(host);
		if (fds[1].revents)
			hear_wire(host);
	}
	return 0;
}

static bool has_file(const struct host *host, const void *context)
{
	return host->files_used < host->file_count;
}

int host_next_file(struct host *host, struct tm_wire *ret_file)
{
	int r = host_until(host, has_file, NULL);

	if (r == 0)
		*ret_file = host->files[host->files_used++];
	return r;
}

static bool is_started(const struct host *host, const void *context)
{
	return host->started;
}

static int hello(const struct host *host)
{
	const struct tm_wire message = {.kind = TM_WIRE_HELLO, .value = TM_WIRE_VERSION};

	return tm_fdpass_send(host->wire, &message, sizeof(message), -1, 0) == 0 ? 0 : -EPIPE;
}

int host_start(struct host *host, const char *collector, const char *opener, const char *folder)
{
	struct start start = {.opener = open(opener, O_PATH | O_CLOEXEC)};
	int control[2], wire[2];
	pid_t self = getpid();

	*host = (struct host){.control = -1, .wire = -1};
	if (start.opener < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, wire) < 0)
		return -errno;
	start.control = control[1];
	start.wire = wire[1];
	start.cpus = (unsigned)sysconf(_SC_NPROCESSORS_CONF);
	for (unsigned cpu = 0; cpu < start.cpus && cpu < CPUS_MAX; cpu++)
		start.events[cpu] = open_event(cpu);
	host->control = control[0];
	host->wire = wire[0];
	host->spinner = fork();
	if (host->spinner == 0)
		spin(self, folder);
	host->collector = fork();
	if (host->collector == 0)
		become(&start, collector);
	(void)tm_close(start.control);
	(void)tm_close(start.wire);
	(void)tm_close(start.opener);
	for (unsigned cpu = 0; cpu < start.cpus && cpu < CPUS_MAX; cpu++)
		(void)tm_close(start.events[cpu]);
	if (host->spinner < 0 || host->collector < 0)
		return -errno;
	return hello(host) < 0 ? -EPIPE : host_until(host, is_started, NULL);
}

int host_attach(struct host *host)
{
	const struct tm_control message = {.kind = TM_CONTROL_ATTACH};
	int wire[2], r;

	host->wire = tm_close(host->wire);
	host->file_count = host->files_used = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, wire) < 0)
		return -errno;
	host->wire = wire[0];
	r = tm_fdpass_send(host->control, &message, sizeof(message), wire[1], 0);
	(void)tm_close(wire[1]);
	return r == 0 ? hello(host) : -EPIPE;
}

static bool is_over(const struct host *host, const void *context)
{
	return host->over;
}

int host_stop(struct host *host)
{
	const struct tm_control message = {.kind = TM_CONTROL_STOP};
	int status = 0;

	(void)kill(host->spinner, SIGKILL);
	(void)waitpid(host->spinner, NULL, 0);
	if (tm_fdpass_send(host->control, &message, sizeof(message), -1, 0) != 0 ||
	    host_until(host, is_over, NULL) < 0)
		(void)kill(host->collector, SIGKILL);
	host->control = tm_close(host->control);
	host->wire = tm_close(host->wire);
	if (waitpid(host->collector, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
