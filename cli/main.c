/* SPDX-License-Identifier: Apache-2.0 */
/* main - the command `tidemark`: chooses the subcommand */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/config.h"
#include "cli/doctor.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/record.h"
#include "cli/reload.h"
#include "cli/status.h"
#include "cli/store_events.h"
#include "cli/terminal.h"
#include "cli/top.h"
#include "cli/view.h"

static const struct {
	const char *name;
	int (*run)(int argc, char *const argv[]); /* Return: exit code */
} commands[] = {
	{"config", config_main},
	{"diff", view_main},
	{"doctor", doctor_main},
	{"record", record_main},
	{"reload", reload_main},
	{"status", status_main},
	{"store-events", store_events_main},
	{"top", top_main},
	{"view", view_main},
};

/* Makes sure that no descriptor of ours is ever used as stdin, stdout or stderr. */
static int have_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return -1;
	} while (fd <= STDERR_FILENO);
	return close(fd);
}

static int print_version(void)
{
	(void)puts("tidemark " TM_VERSION);
	return fflush(stdout) == 0 ? EXIT_CODE_WRITTEN : EXIT_CODE_FAILED;
}

static int usage(const char *argument, const char *problem)
{
	terminal_print("%s%s (see tidemark --help)", argument, problem);
	return EXIT_CODE_USAGE;
}

int main(int argc, char *argv[])
{
	if (have_standard_files() < 0)
		return EXIT_CODE_FAILED;
	if (argc < 2)
		return usage("", "a command is missing, for instance: tidemark record -d 10");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	if (strcmp(argv[1], "version") == 0 || strcmp(argv[1], "--version") == 0)
		return argc == 2 ? print_version() : usage(argv[1], " takes no argument");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0)
		return help_print(HELP_MAIN);
	return usage(argv[1], ": no such command");
}
