/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collector_harness - a real collector at work, for a program that plays both the command and
 * the symbolizer
 */

#include "tests/integration/programs/collector_harness.h"

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
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"

#define CPUS_MAX      4096 /* CPU numbers that are tried, since they need not be contiguous */
#define ARGUMENTS_MAX (CPUS_MAX + 8)
#define TEXT_BYTES    32
#define ROOT_OPTION   "--debug-root="
#define POLL_MS       1000
#define PAGE          4096
#define SPIN_STEPS    300000u

struct start {
	int control, wire, opener;
	const char *folder;
	unsigned cpus;
	int events[CPUS_MAX]; /* negative: the CPU is offline or does not exist */
};

static int open_event(unsigned cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000u / HARNESS_HZ,
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
	static char root[sizeof(ROOT_OPTION) + PATH_MAX];
	char name[] = "tidemark-collector", restart[] = "--restart", lower[] = "--may-lower";
	unsigned count = 0, text = 0;

	arguments[count++] = name;
	arguments[count++] = restart;
	arguments[count++] = lower;
	(void)snprintf(arguments[count++] = root, sizeof(root), ROOT_OPTION "%s", start->folder);
	(void)snprintf(arguments[count++] = texts[text++], TEXT_BYTES, "--control-fd=%d",
		       start->control);
	(void)snprintf(arguments[count++] = texts[text++], TEXT_BYTES, "--wire-fd=%d", start->wire);
	(void)snprintf(arguments[count++] = texts[text++], TEXT_BYTES, "--opener-fd=%d",
		       start->opener);
	(void)snprintf(arguments[count++] = texts[text++], TEXT_BYTES, "--hz=%d", HARNESS_HZ);
	for (unsigned cpu = 0; cpu < start->cpus; cpu++) {
		if (start->events[cpu] < 0)
			continue;
		(void)inherit(start->events[cpu]);
		(void)snprintf(arguments[count++] = texts[text++], TEXT_BYTES, "--perf-fd=%u/0:%d",
			       cpu, start->events[cpu]);
	}
	if (inherit(start->control) == 0 && inherit(start->wire) == 0 &&
	    inherit(start->opener) == 0)
		(void)execv(path, arguments);
	_exit(127);
}

/* In the child: executes the opener, whose end of its socket is @socket. */
static _Noreturn void become_opener(const char *path, int socket)
{
	char name[] = "tidemark-opener", option[TEXT_BYTES];
	char *arguments[] = {name, option, NULL};

	(void)snprintf(option, sizeof(option), "--socket-fd=%d", socket);
	if (inherit(socket) == 0)
		(void)execv(path, arguments);
	_exit(127);
}

/* Return: the collector's end of its socket, -errno. */
static int start_opener(const char *path)
{
	int ends[2];
	pid_t opener;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	opener = fork();
	if (opener == 0)
		become_opener(path, ends[1]);
	(void)tm_close(ends[1]);
	return opener < 0 ? -errno : ends[0];
}

/* Maps a page of code from a file of its own. Return: its address; NULL: it failed. */
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

/* Runs code of many files in turn, so that they are sampled. */
static _Noreturn void spin(pid_t parent, const char *folder)
{
	void (*functions[HARNESS_CODES])(unsigned steps);

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned i = 0; i < HARNESS_CODES; i++) {
		void *at = map_code(folder, i);

		if (!at)
			_exit(1);
		memcpy(&functions[i], &at, sizeof(at));
	}
	while (getppid() == parent)
		for (unsigned i = 0; i < HARNESS_CODES; i++)
			functions[i](SPIN_STEPS);
	_exit(0);
}

/* Return: 0, -ETIMEDOUT, -EPIPE. */
static int receive_control(struct harness *harness)
{
	static struct tm_control message;
	int r = tm_fdpass_recv(harness->control, &message, sizeof(message), NULL, MSG_DONTWAIT);

	if (r == TM_FDPASS_E_AGAIN)
		return 0;
	if (r != 0 || message.kind == TM_CONTROL_FAILED || message.kind == TM_CONTROL_DONE) {
		if (r == 0 && message.kind == TM_CONTROL_FAILED)
			(void)printf("the collector failed: %.*s\n", TM_CONTROL_TEXT,
				     message.body.text);
		harness->over = true;
	} else if (message.kind == TM_CONTROL_READY) {
		message = (struct tm_control){.kind = TM_CONTROL_START};
		if (tm_fdpass_send(harness->control, &message, sizeof(message), -1, 0) != 0)
			harness->over = true;
	} else if (message.kind == TM_CONTROL_STARTED) {
		harness->started = true;
	} else if (message.kind == TM_CONTROL_COUNTS) {
		harness->counts = message.body.counts;
		harness->reports++;
	}
	return 0;
}

/* Other programs of the host, or another run of this test, may be sampled as well: ours are files
 * of exactly one page in our folder. */
static bool is_ours(const struct harness *harness, int fd)
{
	size_t bytes = strlen(harness->folder);
	char link[TEXT_BYTES], path[PATH_MAX];
	struct stat st;
	ssize_t length;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size != PAGE)
		return false;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path));
	return length > (ssize_t)bytes && memcmp(path, harness->folder, bytes) == 0 &&
	       path[bytes] == '/';
}

static void receive_wire(struct harness *harness)
{
	_cleanup_(tm_closep) int fd = -1;
	struct tm_wire message;
	int r = tm_fdpass_recv(harness->wire, &message, sizeof(message), &fd, MSG_DONTWAIT);

	if (r == TM_FDPASS_E_AGAIN)
		return;
	if (r != 0 || message.kind == TM_WIRE_END) {
		harness->wire = tm_close(harness->wire);
	} else if (message.kind == TM_WIRE_FILE) {
		const struct tm_wire credit = {.kind = TM_WIRE_CREDIT, .value = 1};

		if (harness->file_count < HARNESS_CODES && is_ours(harness, fd))
			harness->files[harness->file_count++] = message;
		(void)tm_fdpass_send(harness->wire, &credit, sizeof(credit), -1, 0);
	} else if (message.kind == TM_WIRE_OPENED) {
		struct stat st = {.st_ino = 0};

		harness->answer = message;
		harness->answers++;
		harness->opened = fd >= 0 && fstat(fd, &st) == 0 ? st.st_ino : 0;
	}
}

int harness_until(struct harness *harness,
		  bool (*met)(const struct harness *harness, const void *context),
		  const void *context)
{
	uint64_t from = harness->reports;

	for (unsigned quiet = 0; !met(harness, context);) {
		struct pollfd fds[] = {{.fd = harness->control, .events = POLLIN},
				       {.fd = harness->wire, .events = POLLIN}};

		if (harness->over)
			return -EPIPE;
		if (harness->reports - from > HARNESS_PATIENCE || quiet > HARNESS_PATIENCE)
			return -ETIMEDOUT;
		if (poll(fds, 2, POLL_MS) == 0)
			quiet++;
		if (fds[0].revents)
			(void)receive_control(harness);
		if (fds[1].revents)
			receive_wire(harness);
	}
	return 0;
}

static bool has_file(const struct harness *harness, const void *context)
{
	return harness->files_used < harness->file_count;
}

int harness_next_file(struct harness *harness, struct tm_wire *ret_file)
{
	int r = harness_until(harness, has_file, NULL);

	if (r == 0)
		*ret_file = harness->files[harness->files_used++];
	return r;
}

static bool is_started(const struct harness *harness, const void *context)
{
	return harness->started;
}

static int hello(const struct harness *harness)
{
	const struct tm_wire message = {.kind = TM_WIRE_HELLO, .value = TM_WIRE_VERSION};

	return tm_fdpass_send(harness->wire, &message, sizeof(message), -1, 0) == 0 ? 0 : -EPIPE;
}

int harness_start(struct harness *harness, const char *collector, const char *opener,
		  const char *folder)
{
	static struct start start;
	int control[2], wire[2];
	pid_t self = getpid();

	*harness = (struct harness){.control = -1, .wire = -1, .folder = folder};
	start.opener = start_opener(opener);
	if (start.opener < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, wire) < 0)
		return -errno;
	start.control = control[1];
	start.wire = wire[1];
	start.folder = folder;
	start.cpus = CPUS_MAX;
	for (unsigned cpu = 0; cpu < start.cpus; cpu++)
		start.events[cpu] = open_event(cpu);
	harness->control = control[0];
	harness->wire = wire[0];
	harness->spinner = fork();
	if (harness->spinner == 0)
		spin(self, folder);
	harness->collector = fork();
	if (harness->collector == 0)
		become(&start, collector);
	(void)tm_close(start.control);
	(void)tm_close(start.wire);
	(void)tm_close(start.opener);
	for (unsigned cpu = 0; cpu < start.cpus; cpu++)
		(void)tm_close(start.events[cpu]);
	if (harness->spinner < 0 || harness->collector < 0)
		return -errno;
	return hello(harness) < 0 ? -EPIPE : harness_until(harness, is_started, NULL);
}

int harness_attach(struct harness *harness)
{
	const struct tm_control message = {.kind = TM_CONTROL_ATTACH};
	int wire[2], r;

	harness->wire = tm_close(harness->wire);
	harness->file_count = harness->files_used = harness->answers = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, wire) < 0)
		return -errno;
	harness->wire = wire[0];
	r = tm_fdpass_send(harness->control, &message, sizeof(message), wire[1], 0);
	(void)tm_close(wire[1]);
	return r == 0 ? hello(harness) : -EPIPE;
}

static bool is_over(const struct harness *harness, const void *context)
{
	return harness->over;
}

int harness_stop(struct harness *harness)
{
	const struct tm_control message = {.kind = TM_CONTROL_STOP};
	int status = 0;

	(void)kill(harness->spinner, SIGKILL);
	(void)waitpid(harness->spinner, NULL, 0);
	if (tm_fdpass_send(harness->control, &message, sizeof(message), -1, 0) != 0 ||
	    harness_until(harness, is_over, NULL) < 0)
		(void)kill(harness->collector, SIGKILL);
	harness->control = tm_close(harness->control);
	harness->wire = tm_close(harness->wire);
	if (waitpid(harness->collector, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
