/* SPDX-License-Identifier: Apache-2.0 */
/* status - `tidemark status`: asks the services what they do */

#include "cli/status.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/service_client.h"
#include "cli/status_write.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

enum form {
	FORM_TEXT,
	FORM_JSON,
	FORM_PROMETHEUS,
};

struct request {
	enum form form;
	const char *output; /* NULL: stdout */
	const char *socket;
	bool help;
};

/* Return: 0; EXIT_CODE_USAGE, after saying why. */
static int parse(struct request *request, int argc, char *const argv[])
{
	static const struct option names[] = {
		{"json", no_argument, NULL, 'j'},         {"prometheus", no_argument, NULL, 'p'},
		{"output", required_argument, NULL, 'o'}, {"socket", required_argument, NULL, 's'},
		{"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
	};
	int option;

	*request = (struct request){.socket = TM_STATUS_SOCKET};
	optind = 1;
	while ((option = getopt_long(argc, argv, "o:h", names, NULL)) >= 0) {
		if (option == '?')
			return EXIT_CODE_USAGE; /* getopt has said why */
		if (option == 'j')
			request->form = FORM_JSON;
		if (option == 'p')
			request->form = FORM_PROMETHEUS;
		if (option == 'o')
			request->output = optarg;
		if (option == 's')
			request->socket = optarg;
		request->help |= option == 'h';
	}
	if (optind == argc)
		return 0;
	terminal_print("status takes no argument, but %s is there (see tidemark status --help)",
		       argv[optind]);
	return EXIT_CODE_USAGE;
}

/* Return: 0; -EBADMSG: not an answer; -errno. */
static int ask(const char *path, struct tm_status *ret_status)
{
	_cleanup_(tm_closep) int fd = service_client_open(path, STATUS_WAIT_SECONDS);
	int r;

	if (fd < 0)
		return fd;
	r = service_client_receive(fd, ret_status, sizeof(*ret_status));
	if (r < 0)
		return r;
	return ret_status->magic == TM_STATUS_MAGIC && ret_status->version == TM_STATUS_VERSION &&
			       ret_status->bytes == sizeof(*ret_status)
		       ? 0
		       : -EBADMSG;
}

static void explain(const char *path, int r)
{
	if (r == -EBADMSG)
		terminal_print("%s: the answer is not one of this version", path);
	else
		service_client_explain(path, r, "root and the group tidemark");
}

static void write_to(FILE *out, const struct request *request, const struct tm_status *status)
{
	struct status_unit units[STATUS_UNITS_N];

	status_units_read(units);
	if (request->form == FORM_JSON)
		status_write_json(out, status, units);
	else if (request->form == FORM_PROMETHEUS)
		status_write_prometheus(out, status, units);
	else
		status_write_text(out, status, units);
}

/* A reader of the file sees the old figures or the new ones. Return: 0, -errno. */
static int write_file(const struct request *request, const struct tm_status *status)
{
	char part[PATH_MAX];
	int length = snprintf(part, sizeof(part), "%s.part", request->output), fd;
	FILE *out;
	bool bad;

	if (length < 0 || length >= (int)sizeof(part))
		return -ENAMETOOLONG;
	(void)unlink(part);
	fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
	out = fd < 0 ? NULL : fdopen(fd, "we");
	if (!out)
		return -errno;
	write_to(out, request, status);
	bad = ferror(out) != 0;
	if (fclose(out) != 0 || bad)
		return -EIO;
	return rename(part, request->output) < 0 ? -errno : 0;
}

/* Return: exit code. */
static int judge(const struct tm_status *status)
{
	const uint64_t last = status->reported ? status->reported : status->started;
	const uint64_t age_ms = status->now > last ? (status->now - last) / 1000000 : 0;

	if (age_ms <= STATUS_LATE_MS || age_ms <= STATUS_LATE * status->interval_ms)
		return EXIT_CODE_WRITTEN;
	terminal_print("no report was made for %llu s", (unsigned long long)(age_ms / 1000));
	return EXIT_CODE_FAILED;
}

int status_main(int argc, char *const argv[])
{
	static struct tm_status status;
	struct request request;
	int r = parse(&request, argc, argv);

	if (r != 0)
		return r;
	if (request.help)
		return help_print(HELP_STATUS);
	r = ask(request.socket, &status);
	if (r < 0) {
		explain(request.socket, r);
		return EXIT_CODE_FAILED;
	}
	if (request.output) {
		r = write_file(&request, &status);
		if (r < 0) {
			terminal_print("%s: %s", request.output, strerror(-r));
			return EXIT_CODE_FAILED;
		}
	} else {
		write_to(stdout, &request, &status);
		if (fflush(stdout) != 0)
			return EXIT_CODE_FAILED;
	}
	return request.form == FORM_PROMETHEUS ? EXIT_CODE_WRITTEN : judge(&status);
}
