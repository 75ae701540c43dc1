/* SPDX-License-Identifier: Apache-2.0 */
/* signals - the signals that the command waits for, and those that its children start with */

#include "cli/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t mask_at_start;
static struct sigaction pipe_at_start, child_at_start;

int signals_open(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN}, standard = {.sa_handler = SIG_DFL};
	struct sigaction hangup;
	sigset_t wanted;
	int fd;

	(void)sigemptyset(&wanted);
	(void)sigaddset(&wanted, SIGINT);
	(void)sigaddset(&wanted, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hangup) < 0)
		return -errno;
	if (hangup.sa_handler != SIG_IGN)
		(void)sigaddset(&wanted, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &wanted, &mask_at_start) < 0 ||
	    sigaction(SIGPIPE, &ignore, &pipe_at_start) < 0 ||
	    sigaction(SIGCHLD, &standard, &child_at_start) < 0)
		return -errno;
	fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int signals_read(int fd)
{
	struct signalfd_siginfo info;
	ssize_t got;

	do {
		got = read(fd, &info, sizeof(info));
	} while (got < 0 && errno == EINTR);
	if (got == (ssize_t)sizeof(info))
		return (int)info.ssi_signo;
	return got < 0 && errno != EAGAIN ? -errno : 0;
}

int signals_reset(void)
{
	struct sigaction standard = {.sa_handler = SIG_DFL};
	sigset_t none;
	int number;

	for (number = 1; number < NSIG; number++) /* some cannot be set; they are never ignored */
		(void)sigaction(number, &standard, NULL);
	(void)sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL);
}

int signals_restore(void)
{
	if (sigaction(SIGPIPE, &pipe_at_start, NULL) < 0 ||
	    sigaction(SIGCHLD, &child_at_start, NULL) < 0)
		return -1;
	return sigprocmask(SIG_SETMASK, &mask_at_start, NULL);
}
