/* SPDX-License-Identifier: Apache-2.0 */
/* hotplug - receives messages about new CPUs and sends their perf events to the collector */

#include "cli/hotplug.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "shared/cleanup.h"

#define KERNEL_GROUP  1u          /* uevents as the kernel sends them; udev's own are group 2 */
#define MESSAGE_BYTES 8192        /* the kernel's are below 2048 + a path; more is cut */
#define QUEUE_BYTES   (256 << 10) /* some hundred uevents, while the command is busy writing */
#define BATCH         256         /* messages between two looks at everything else */
#define CPU_FOLDER    "/devices/system/cpu/cpu"

static bool contains(const uint8_t *set, unsigned cpu)
{
	return (set[cpu / 8] >> cpu % 8 & 1) != 0;
}

static void add(uint8_t *set, unsigned cpu)
{
	set[cpu / 8] = (uint8_t)(set[cpu / 8] | 1u << cpu % 8);
}

/* Moves past @prefix. Return: whether it was there. */
static bool skip(const char **at, const char *end, const char *prefix)
{
	size_t length = strlen(prefix);

	if ((size_t)(end - *at) < length || memcmp(*at, prefix, length) != 0)
		return false;
	*at += length;
	return true;
}

int hotplug_parse(const char *message, size_t bytes, unsigned *ret_cpu)
{
	const char *at = message, *end = memchr(message, '\0', bytes);
	unsigned cpu = 0;

	if (!end || (!skip(&at, end, "online@") && !skip(&at, end, "add@")) ||
	    !skip(&at, end, CPU_FOLDER))
		return HOTPLUG_E_OTHER;
	if (at == end || (*at == '0' && end - at > 1))
		return HOTPLUG_E_OTHER;
	for (; at < end; at++) {
		if (*at < '0' || *at > '9')
			return HOTPLUG_E_OTHER;
		cpu = cpu * 10 + (unsigned)(*at - '0');
		if (cpu >= TM_CPUS_MAX)
			return HOTPLUG_E_OTHER;
	}
	*ret_cpu = cpu;
	return 0;
}

static void refuse(struct hotplug *hotplug, unsigned cpu, int error)
{
	if (!contains(hotplug->refused, cpu))
		terminal_print("CPU %u came online but cannot be sampled: %s", cpu,
			       strerror(-error));
	add(hotplug->refused, cpu);
}

static void send_event(struct hotplug *hotplug, struct child *collector, unsigned cpu)
{
	_cleanup_(tm_closep) int fd = starter_client_event(hotplug->starter, cpu);
	int r;

	if (fd == -ENODEV || fd == -ENXIO)
		return; /* gone again, or there but not online: another message follows */
	if (fd < 0) {
		refuse(hotplug, cpu, fd);
		return;
	}
	r = child_send_fd(collector, TM_CONTROL_CPU, cpu, fd);
	if (r < 0) {
		refuse(hotplug, cpu, r);
		return;
	}
	add(hotplug->sampled, cpu);
	terminal_verbose("CPU %u came online and is sampled", cpu);
}

/* Return: count of CPUs in *ret_cpus (heap), -errno. */
static int read_online(unsigned **ret_cpus)
{
	unsigned *cpus = calloc(TM_CPUS_MAX, sizeof(*cpus));
	int count = cpus ? perf_events_online(cpus) : -ENOMEM;

	if (count < 0)
		free(cpus);
	else
		*ret_cpus = cpus;
	return count;
}

static void send_all_events(struct hotplug *hotplug, struct child *collector)
{
	_cleanup_(tm_freep) unsigned *cpus = NULL;
	int i, count = read_online(&cpus);

	terminal_verbose(
		"messages about CPUs were lost; the events of all online CPUs are opened again");
	for (i = 0; i < count; i++)
		send_event(hotplug, collector, cpus[i]);
}

/* One message. Return: bytes, 0: not from the kernel; -errno. */
static ssize_t receive(int fd, char *ret_message, size_t bytes)
{
	struct sockaddr_nl from = {0};
	struct iovec part = {ret_message, bytes};
	struct msghdr header = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &part,
		.msg_iovlen = 1,
	};
	ssize_t got = recvmsg(fd, &header, MSG_DONTWAIT);

	if (got < 0)
		return -errno;
	if (header.msg_namelen != sizeof(from) || from.nl_pid != 0 ||
	    from.nl_groups != KERNEL_GROUP)
		return 0;
	return got;
}

static void give_up(struct hotplug *hotplug, int error)
{
	terminal_print(
		"CPUs that come later are not sampled: the kernel's messages about them cannot be "
		"received: %s",
		strerror(error));
	hotplug_close(hotplug);
}

void hotplug_receive(struct hotplug *hotplug, struct child *collector)
{
	char message[MESSAGE_BYTES];
	unsigned cpu;
	int i;

	for (i = 0; i < BATCH && hotplug->fd >= 0; i++) {
		ssize_t got = receive(hotplug->fd, message, sizeof(message));

		if (got == -EAGAIN)
			return;
		if (got == -ENOBUFS)
			send_all_events(hotplug, collector);
		else if (got < 0 && got != -EINTR)
			give_up(hotplug, (int)-got);
		else if (got > 0 && hotplug_parse(message, (size_t)got, &cpu) == 0)
			send_event(hotplug, collector, cpu);
	}
}

static int open_uevents(void)
{
	const struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};
	const int bytes = QUEUE_BYTES;
	_cleanup_(tm_closep) int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
					     NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return TM_TAKE_FD(fd);
}

void hotplug_open(struct hotplug *ret_hotplug)
{
	int fd = open_uevents();

	*ret_hotplug = (struct hotplug){.fd = fd < 0 ? -1 : fd};
	if (fd < 0)
		give_up(ret_hotplug, -fd);
}

void hotplug_begin(struct hotplug *hotplug, const struct perf_events *perf,
		   struct starter_client *starter)
{
	size_t i;

	hotplug->starter = starter;
	for (i = 0; i < perf->count; i++)
		add(hotplug->sampled, perf->events[i].cpu);
}

unsigned hotplug_missed(const struct hotplug *hotplug, uint64_t taken)
{
	_cleanup_(tm_freep) unsigned *cpus = NULL;
	int i, count = read_online(&cpus);
	unsigned cpu, missed = 0, handed = 0;

	for (cpu = 0; cpu < TM_CPUS_MAX; cpu++) {
		missed += (unsigned)contains(hotplug->refused, cpu);
		handed += (unsigned)contains(hotplug->sampled, cpu);
	}
	if (taken > 0 && handed > taken)
		missed += handed - (unsigned)taken;
	for (i = 0; i < count; i++)
		missed += !contains(hotplug->sampled, cpus[i]) &&
			  !contains(hotplug->refused, cpus[i]);
	return missed;
}

void hotplug_close(struct hotplug *hotplug)
{
	hotplug->fd = tm_close(hotplug->fd);
}
