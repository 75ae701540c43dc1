/* SPDX-License-Identifier: Apache-2.0 */
/* cpu_watch - notices CPUs that come online, for the collector of the service */

#include "service/cpu_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shared/clock.h"

int cpu_watch_open(struct cpu_watch *watch)
{
	*watch = CPU_WATCH_NULL;
	watch->fd = open(TM_CPUS_ONLINE, O_RDONLY | O_CLOEXEC);
	return watch->fd < 0 ? -errno : 0;
}

/* Return: CPUs that are online, -1: the list cannot be read. */
static int read_online(const struct cpu_watch *watch, unsigned *ret_cpus)
{
	char list[TM_CPUS_TEXT_MAX];
	ssize_t bytes = pread(watch->fd, list, sizeof(list) - 1, 0);

	if (bytes <= 0)
		return -1;
	list[bytes] = '\0';
	return tm_cpus_parse(list, ret_cpus);
}

uint64_t cpu_watch_suspended_ms(void)
{
	uint64_t boot_ms, now_ms;
	struct timespec boot;

	if (clock_gettime(CLOCK_BOOTTIME, &boot) < 0)
		return 0;
	boot_ms = (uint64_t)boot.tv_sec * 1000 + (uint64_t)boot.tv_nsec / 1000000;
	now_ms = tm_clock_ms(); /* behind it: what lies between the two makes this less, not more */
	return boot_ms > now_ms ? boot_ms - now_ms : 0;
}

unsigned cpu_watch_look(struct cpu_watch *watch, uint64_t now_ms, uint64_t suspended_ms,
			unsigned *ret_cpus)
{
	uint8_t before[sizeof(watch->online)];
	unsigned fresh = 0;
	int count;

	if (watch->fd < 0 || now_ms < watch->next_ms)
		return 0;
	watch->next_ms = now_ms + CPU_WATCH_MS;
	count = read_online(watch, ret_cpus);
	if (count < 0)
		return 0;
	if (suspended_ms > watch->suspended_ms + CPU_WATCH_SUSPENDED_MS)
		memset(watch->online, 0, sizeof(watch->online));
	if (suspended_ms > watch->suspended_ms)
		watch->suspended_ms = suspended_ms;
	memcpy(before, watch->online, sizeof(before));
	memset(watch->online, 0, sizeof(watch->online));
	for (int i = 0; i < count; i++) {
		unsigned cpu = ret_cpus[i];
		uint8_t bit = (uint8_t)(1u << cpu % 8);

		watch->online[cpu / 8] |= bit;
		if (!(before[cpu / 8] & bit))
			ret_cpus[fresh++] = cpu;
	}
	return fresh;
}
