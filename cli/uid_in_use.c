/* SPDX-License-Identifier: Apache-2.0 */
/* uid_in_use - does anybody run under a uid? asked of the kernel, not of /proc */

#include "cli/uid_in_use.h"

#include <errno.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/spawn.h"

/* Exit codes of the asking child; errno values stay below them. */
#define ANSWER_FREE  200
#define ANSWER_TAKEN 201

static int ask(uid_t uid)
{
	const struct rlimit two = {2, 2};
	pid_t child;

	if (setrlimit(RLIMIT_NPROC, &two) < 0 || setgroups(0, NULL) < 0 ||
	    setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
		return errno;
	child = fork();
	if (child < 0)
		return errno == EAGAIN ? ANSWER_TAKEN : errno;
	if (child == 0)
		_exit(0);
	return spawn_wait(child, NULL, NULL) < 0 ? ECHILD : ANSWER_FREE;
}

int occupied_by_process(uid_t uid)
{
	int status = 0, r;
	pid_t child = fork();

	if (child < 0)
		return -errno;
	if (child == 0)
		_exit(ask(uid));
	r = spawn_wait(child, &status, NULL);
	if (r < 0)
		return r;
	if (!WIFEXITED(status))
		return -ECANCELED;
	if (WEXITSTATUS(status) == ANSWER_FREE)
		return 0;
	return WEXITSTATUS(status) == ANSWER_TAKEN ? 1 : -WEXITSTATUS(status);
}
