/* SPDX-License-Identifier: Apache-2.0 */
/* main - the command `tidemark`: chooses the subcommand */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/record.h"
#include "cli/terminal.h"

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
	if (strcmp(argv[1], "record") == 0)
		return record_main(argc - 1, argv + 1);
	if (strcmp(argv[1], "version") == 0 || strcmp(argv[1], "--version") == 0)
		return argc == 2 ? print_version() : usage(argv[1], " takes no argument");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0)
		return help_print(HELP_MAIN);
	return usage(argv[1], ": no such command");
}
