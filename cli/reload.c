/* SPDX-License-Identifier: Apache-2.0 */
/* reload - `tidemark reload`: has the services take what needs no restart from tidemark.conf */

#include "cli/reload.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "cli/config.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/reload_request.h"
#include "cli/service_client.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"

struct command {
	const char *path;
	const char *socket;
	bool named; /* the file, on the command line: it has to be there */
};

static const struct option long_options[] = {
	{"socket", required_argument, NULL, 's'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* Return: 0; -1: help was asked for; EXIT_CODE_USAGE. */
static int parse(struct command *command, int argc, char *const argv[])
{
	int option;

	*command = (struct command){.path = CONFIG_FILE_DEFAULT, .socket = TM_RELOAD_SOCKET};
	optind = 0; /* getopt starts over */
	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (option == 'h')
			return -1;
		if (option != 's')
			return EXIT_CODE_USAGE; /* getopt has said why */
		command->socket = optarg;
	}
	if (argc - optind > 1) {
		terminal_print("reload takes one file, not %d (see tidemark reload --help)",
			       argc - optind);
		return EXIT_CODE_USAGE;
	}
	command->named = optind < argc;
	if (command->named)
		command->path = argv[optind];
	return 0;
}

/* Return: 0; -EBADMSG: not an answer; -ECONNRESET: the message was refused; -errno. */
static int ask(const char *path, const struct tm_reload *message,
	       struct tm_reload_answer *ret_answer)
{
	_cleanup_(tm_closep) int fd = service_client_open(path, RELOAD_ANSWER_SECONDS);
	int r;

	if (fd < 0)
		return fd;
	r = tm_fdpass_send(fd, message, sizeof(*message), -1, 0);
	if (r != 0)
		return r < 0 ? r : -ECONNRESET;
	r = service_client_receive(fd, ret_answer, sizeof(*ret_answer));
	return r < 0 ? r : reload_request_check(ret_answer);
}

static void explain(const char *path, int r)
{
	if (r == -ECONNRESET || r == -EBADMSG)
		terminal_print("tidemark-symbolizer did not take the values: it ends, or it is of "
			       "another version (systemctl restart tidemark-symbolizer)");
	else
		service_client_explain(path, r, "root alone");
}

/* @file: without a problem. Return: exit code. */
static int send_values(const struct config_file *file, const char *socket)
{
	static struct tm_reload message;
	struct tm_reload_answer answer;
	int r;

	reload_request_make(file, &message);
	r = ask(socket, &message, &answer);
	if (r < 0) {
		explain(socket, r);
		return EXIT_CODE_FAILED;
	}
	reload_request_print(stdout, file, &answer);
	return fflush(stdout) == 0 ? EXIT_CODE_WRITTEN : EXIT_CODE_FAILED;
}

int reload_main(int argc, char *const argv[])
{
	struct command command;
	struct config_file file;
	int r = parse(&command, argc, argv);

	if (r != 0)
		return r < 0 ? help_print(HELP_RELOAD) : r;
	r = config_load(&file, command.path, command.named);
	if (r == 0 && reload_request_take_environment(&file) < 0) {
		terminal_print("%s", strerror(ENOMEM));
		r = EXIT_CODE_FAILED;
	}
	if (r == 0)
		r = file.problems > 0 ? EXIT_CODE_FAILED : send_values(&file, command.socket);
	config_file_free(&file);
	return r;
}
