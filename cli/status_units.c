/* SPDX-License-Identifier: Apache-2.0 */
/* status_units - CPU time and memory of each unit of the services, as its cgroup says */

#include "cli/status_units.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/parse.h"

#define FOLDER     "/sys/fs/cgroup/system.slice/tidemark-%s.service/%s"
#define TEXT_BYTES 4096

static const char *const names[STATUS_UNITS_N] = {
	[STATUS_UNITS_COLLECTOR] = "collector",   [STATUS_UNITS_OPENER] = "opener",
	[STATUS_UNITS_SYMBOLIZER] = "symbolizer", [STATUS_UNITS_PARSER] = "parser",
	[STATUS_UNITS_EXPORTER] = "exporter",     [STATUS_UNITS_SPOOL] = "spool",
};

const char *status_units_name(enum status_units_name unit)
{
	return names[unit];
}

/* Reads the number behind @key in a file of the unit's cgroup. Return: whether it is there. */
static bool read_number(const char *unit, const char *file, const char *key, uint64_t *ret_number)
{
	char path[PATH_MAX], text[TEXT_BYTES];
	_cleanup_(tm_closep) int fd = -1;
	const char *at = text;
	ssize_t bytes;

	(void)snprintf(path, sizeof(path), FOLDER, unit, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	bytes = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (bytes <= 0)
		return false;
	text[bytes] = '\0';
	at = strstr(text, key);
	if (!at)
		return false;
	at += strlen(key);
	return tm_parse_digits(&at, ret_number) == 0;
}

void status_units_read(struct status_unit ret_units[STATUS_UNITS_N])
{
	for (unsigned i = 0; i < STATUS_UNITS_N; i++) {
		struct status_unit *unit = &ret_units[i];

		*unit = (struct status_unit){0};
		unit->has_cpu = read_number(names[i], "cpu.stat", "usage_usec ", &unit->cpu_us);
		unit->has_memory = read_number(names[i], "memory.current", "", &unit->memory_bytes);
	}
}
