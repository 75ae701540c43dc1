/* SPDX-License-Identifier: Apache-2.0 */
/* config - `tidemark config`: shows the configuration of the services, or checks it */

#include "cli/config.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/config_file.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/terminal.h"

struct command {
	const char *path;
	bool named; /* on the command line: it has to be there */
	bool check;
};

static const struct option long_options[] = {
	{"check", no_argument, NULL, 'c'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* Return: 0; -1: help was asked for; EXIT_CODE_USAGE. */
static int parse(struct command *command, int argc, char *const argv[])
{
	int option;

	optind = 0; /* getopt starts over */
	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (option == 'h')
			return -1;
		if (option != 'c') {
			terminal_print("%s is not an option of config (see tidemark config --help)",
				       argv[optind - 1]);
			return EXIT_CODE_USAGE;
		}
		command->check = true;
	}
	if (argc - optind > 1) {
		terminal_print("config takes one file, not %d (see tidemark config --help)",
			       argc - optind);
		return EXIT_CODE_USAGE;
	}
	command->named = optind < argc;
	command->path = command->named ? argv[optind] : CONFIG_FILE_DEFAULT;
	return 0;
}

/* file:line, as compilers write it, for editors */
static void print_problem(void *context, size_t line, const char *sentence)
{
	const char *path = context;

	if (line > 0)
		(void)fprintf(stderr, "%s:%zu: %s\n", path, line, sentence);
	else
		(void)fprintf(stderr, "%s: %s\n", path, sentence);
}

int config_load(struct config_file *file, const char *path, bool named)
{
	int r;

	*file = (struct config_file){.problem = print_problem, .context = (char *)(uintptr_t)path};
	r = config_file_open(file, path);
	if (r == -ENOENT && !named) {
		terminal_print("%s does not exist: the defaults hold", path);
		r = 0;
	}
	if (r < 0) {
		terminal_print("%s: cannot be read: %s", path, strerror(-r));
		file->error = r;
	}
	return r < 0 || file->problems > 0 ? EXIT_CODE_FAILED : 0;
}

static void print_value(const struct config_file *file, int key, const char *path)
{
	const char *value = config_file_value(file, key);
	char services[CONFIG_SERVICES], from[TERMINAL_CLEAN_MAX], text[TERMINAL_CLEAN_MAX];

	config_keys_services(config_keys[key].services, "", services);
	(void)snprintf(text, sizeof(text), "%s=%s", config_keys[key].name, value);
	terminal_clean(text, sizeof(text));
	(void)snprintf(from, sizeof(from), "default");
	if (file->values[key].line)
		(void)snprintf(from, sizeof(from), "%s:%zu", path, file->values[key].line);
	(void)printf("%-33s %-32s %s %s\n", text, from,
		     config_keys_is_reloaded(&config_keys[key]) ? "reload" : "restart", services);
}

/* What has to be done for what the file sets to take effect. */
static void print_effect(const struct config_file *file)
{
	char services[CONFIG_SERVICES];
	unsigned restarted = 0;
	bool reloaded = false;

	for (int i = 0; i < CONFIG_KEYS_N; i++) {
		if (file->values[i].line && config_keys_is_reloaded(&config_keys[i]))
			reloaded = true;
		else if (file->values[i].line)
			restarted |= config_keys[i].services;
	}
	if (restarted & CONFIG_SYMBOLIZER)
		reloaded = false; /* that does it, too */
	if (!restarted && !reloaded)
		return;
	(void)printf("\nWhat the file sets is in effect once this has been done since:\n");
	config_keys_services(restarted, "tidemark-", services);
	if (restarted)
		(void)printf("systemctl restart %s\n", services);
	if (reloaded)
		(void)printf("systemctl reload tidemark-symbolizer\n");
}

static int print(const struct config_file *file, const char *path)
{
	(void)printf("%-33s %-32s %s\n", "# value", "from", "what a change needs");
	for (int i = 0; i < CONFIG_KEYS_N; i++)
		print_value(file, i, path);
	print_effect(file);
	return fflush(stdout) == 0 ? EXIT_CODE_WRITTEN : EXIT_CODE_FAILED;
}

/* Of what --check found. */
static int print_verdict(const struct config_file *file, const struct command *command)
{
	if (file->problems == 0)
		(void)printf("%s: nothing is wrong\n", command->path);
	return fflush(stdout) == 0 ? EXIT_CODE_WRITTEN : EXIT_CODE_FAILED;
}

int config_main(int argc, char *const argv[])
{
	struct command command = {.path = NULL};
	struct config_file file;
	int r = parse(&command, argc, argv), loaded;

	if (r != 0)
		return r < 0 ? help_print(HELP_CONFIG) : r;
	loaded = config_load(&file, command.path, command.named);
	if (!file.error)
		r = command.check ? print_verdict(&file, &command) : print(&file, command.path);
	config_file_free(&file);
	return r != 0 ? r : loaded;
}
