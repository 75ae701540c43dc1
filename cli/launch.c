/* SPDX-License-Identifier: Apache-2.0 */
/* launch - starts one program under another account, with exactly the capabilities it needs */

#include "cli/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/exit_code.h"
#include "cli/spawn.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

int launch_init(struct launch *launch, const char *name, int program,
		struct uid_pool_account account)
{
	*launch = (struct launch){
		.name = name,
		.credentials = {.program = program, .account = account},
	};
	launch->arguments = calloc(LAUNCH_ARGUMENTS_MAX + 1, sizeof(*launch->arguments));
	launch->kept = calloc(LAUNCH_ARGUMENTS_MAX, sizeof(*launch->kept));
	if (!launch->arguments || !launch->kept) {
		launch_deinit(launch);
		return -ENOMEM;
	}
	launch->credentials.arguments = launch->arguments;
	launch->credentials.kept = launch->kept;
	launch_argument(launch, "%s", name);
	return 0;
}

void launch_deinit(struct launch *launch)
{
	size_t i;

	for (i = 0; launch->arguments && i < launch->argument_count; i++)
		free(launch->arguments[i]);
	free(launch->arguments);
	free(launch->kept);
	*launch = (struct launch){.credentials.program = -1};
}

void launch_capability(struct launch *launch, cap_value_t capability)
{
	struct credentials *credentials = &launch->credentials;

	if (credentials->capability_count < CREDENTIALS_CAPABILITIES_MAX)
		credentials->capabilities[credentials->capability_count++] = capability;
	else
		launch->failed = true;
}

void launch_argument(struct launch *launch, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;
	int length;

	if (launch->argument_count == LAUNCH_ARGUMENTS_MAX) {
		launch->failed = true;
		return;
	}
	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0) {
		launch->failed = true;
		return;
	}
	launch->arguments[launch->argument_count++] = text;
}

static void keep(struct launch *launch, int fd)
{
	if (launch->credentials.kept_count < LAUNCH_ARGUMENTS_MAX)
		launch->kept[launch->credentials.kept_count++] = fd;
}

void launch_descriptor(struct launch *launch, const char *option, int fd)
{
	launch_argument(launch, "--%s=%d", option, fd);
	keep(launch, fd);
}

void launch_pair(struct launch *launch, const char *option, const char *prefix, int fd)
{
	launch_argument(launch, "--%s=%s:%d", option, prefix, fd);
	keep(launch, fd);
}

struct launch_mark launch_mark(const struct launch *launch)
{
	return (struct launch_mark){launch->argument_count, launch->credentials.kept_count};
}

void launch_return_to(struct launch *launch, struct launch_mark mark)
{
	while (launch->argument_count > mark.arguments) {
		free(launch->arguments[--launch->argument_count]);
		launch->arguments[launch->argument_count] = NULL;
	}
	launch->credentials.kept_count = mark.kept;
}

/* Runs in the child. Never returns. */
static _Noreturn void become(const struct launch *launch, pid_t parent, int errors, int report)
{
	struct credentials_failure failure = {"", 0};

	if (credentials_take(&launch->credentials, parent, errors, &failure) == 0)
		credentials_execute(&launch->credentials, &failure);
	while (write(report, &failure, sizeof(failure)) < 0 && errno == EINTR)
		continue;
	_exit(127);
}

static int refused(const char *name, const struct credentials_failure *failure)
{
	char step[sizeof(failure->step) + 1] = "";

	memcpy(step, failure->step, sizeof(failure->step));
	terminal_print("%s cannot be started: %s: %s", name, step, strerror(failure->error));
	return failure->error == EPERM ? EXIT_CODE_HOST : EXIT_CODE_FAILED;
}

/* Waits until the program is executed, or the child reports why not. */
static int await(const struct launch *launch, struct child *program, int report)
{
	struct credentials_failure failure;
	ssize_t got;

	do {
		got = read(report, &failure, sizeof(failure));
	} while (got < 0 && errno == EINTR);
	if (got == 0)
		return 0;
	child_kill(program);
	if (got != (ssize_t)sizeof(failure)) {
		terminal_print("%s cannot be started: it ended before its exec", launch->name);
		return EXIT_CODE_FAILED;
	}
	return refused(launch->name, &failure);
}

static int failed(const struct launch *launch, int error)
{
	terminal_print("%s cannot be started: %s", launch->name, strerror(error));
	return EXIT_CODE_FAILED;
}

int launch_start(const struct launch *launch, struct child *ret_program)
{
	int errors[2] = {-1, -1}, report[2] = {-1, -1};
	_cleanup_(tm_closep) int errors_here = -1;
	_cleanup_(tm_closep) int errors_there = -1;
	_cleanup_(tm_closep) int report_here = -1;
	_cleanup_(tm_closep) int report_there = -1;
	pid_t parent = getpid();

	if (launch->failed)
		return failed(launch, ENOMEM);
	if (pipe2(errors, O_CLOEXEC) < 0)
		return failed(launch, errno);
	errors_here = errors[0];
	errors_there = errors[1];
	if (pipe2(report, O_CLOEXEC) < 0)
		return failed(launch, errno);
	report_here = report[0];
	report_there = report[1];
	if (fcntl(errors_here, F_SETFL, O_NONBLOCK) < 0)
		return failed(launch, errno);
	ret_program->pid = fork();
	if (ret_program->pid < 0)
		return failed(launch, errno);
	if (ret_program->pid == 0)
		become(launch, parent, errors_there, report_there);
	ret_program->name = launch->name;
	ret_program->errors = TM_TAKE_FD(errors_here);
	ret_program->pidfd = spawn_pidfd(ret_program->pid);
	report_there = tm_close(report_there);
	if (ret_program->pidfd < 0) {
		int error = -ret_program->pidfd;

		child_kill(ret_program);
		return failed(launch, error);
	}
	return await(launch, ret_program, report_here);
}
