/* SPDX-License-Identifier: Apache-2.0 */
/* outputs - all files of one report: the outputs that the symbolizer writes, and the summary */

#include "cli/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

static int cannot(const char *path, int error)
{
	if (error == -ENXIO)
		say("%s: cannot be written: nobody reads this pipe", path);
	else if (error == -EMEDIUMTYPE)
		say("%s: cannot be written: with --every only regular files are", path);
	else
		say("%s: cannot be written: %s", path, strerror(-error));
	return EXIT_CODE_FAILED;
}

/* Two ways to write one file would leave only the later. */
static int check_twice(const struct outputs *targets, const struct output *output)
{
	size_t i;

	for (i = 0; i < targets->count; i++) {
		if (&targets->outputs[i] == output || !output_same(&targets->outputs[i], output))
			continue;
		say("%s and %s are the same file (see tidemark record --help)",
		    targets->outputs[i].path, output->path);
		return EXIT_CODE_USAGE;
	}
	return 0;
}

/* The name of output @index in report @number, kept in @targets; the last is the summary's. */
static const char *name_of(struct outputs *targets, size_t index, unsigned number)
{
	const struct options *options = targets->options;
	const char *path =
		index == options->output_count ? options->summary : options->outputs[index].path;

	if (number == 0)
		return path;
	free(targets->names[index]);
	targets->names[index] = format_numbered(path, number);
	return targets->names[index] ? targets->names[index] : path;
}

static int open_output(struct outputs *targets, size_t index, unsigned number,
		       struct output *output)
{
	const char *path = name_of(targets, index, number);
	int r = output_open(output, path);

	if (r == 0 && number > 0 && output->kind == OUTPUT_STRAIGHT)
		r = -EMEDIUMTYPE;
	return r < 0 ? cannot(path, r) : check_twice(targets, output);
}

int outputs_open(struct outputs *ret_targets, const struct options *options, unsigned number)
{
	struct outputs *targets = ret_targets;
	size_t i;
	int r = 0;

	*targets = (struct outputs){.options = options, .summary = OUTPUT_NULL};
	for (i = 0; i < options->output_count && r == 0; i++) {
		targets->outputs[i] = OUTPUT_NULL;
		targets->count = i + 1;
		r = open_output(targets, i, number, &targets->outputs[i]);
	}
	if (r == 0 && options->summary) {
		targets->has_summary = 1;
		r = open_output(targets, i, number, &targets->summary);
	}
	return r;
}

/* So that a symbolizer that needs a descriptor under this number has one. */
static void go_nowhere(struct output *output)
{
	output_discard(output);
	output->kind = OUTPUT_STRAIGHT;
	output->fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
}

void outputs_open_more(struct outputs *ret_targets, const struct options *options, unsigned number)
{
	struct outputs *targets = ret_targets;
	size_t i;

	*targets = (struct outputs){.options = options, .summary = OUTPUT_NULL};
	for (i = 0; i < options->output_count; i++) {
		targets->outputs[i] = OUTPUT_NULL;
		targets->count = i + 1;
		targets->refused[i] = open_output(targets, i, number, &targets->outputs[i]) != 0;
		if (targets->refused[i])
			go_nowhere(&targets->outputs[i]);
	}
	if (!options->summary)
		return;
	targets->has_summary = 1;
	targets->summary_refused = open_output(targets, i, number, &targets->summary) != 0;
}

static void renumber(struct outputs *targets, size_t index, unsigned number, struct output *output)
{
	const char *path = name_of(targets, index, number);

	if (output_rename(output, path) < 0)
		(void)cannot(path, -ENAMETOOLONG);
	output->path = path;
}

void outputs_renumber(struct outputs *targets, unsigned number)
{
	size_t i;

	for (i = 0; i < targets->count; i++)
		renumber(targets, i, number, &targets->outputs[i]);
	if (targets->has_summary)
		renumber(targets, i, number, &targets->summary);
}

/* Did the symbolizer write it whole? Return: 0, -errno. */
static int was_written(const struct session *session, size_t index)
{
	if (!session_has_reported(session) || !(session->outputs_told & 1u << index))
		return -ECANCELED;
	return session->output_codes[index] < 0 ? session->output_codes[index] : 0;
}

static size_t store_outputs(struct outputs *targets, const struct session *session)
{
	size_t i, count = 0;

	for (i = 0; i < targets->count; i++) {
		int r = was_written(session, i);

		if (targets->refused[i])
			continue;
		if (r == -ECANCELED) {
			if (session_has_reported(session))
				(void)cannot(targets->outputs[i].path, -EIO);
			continue;
		}
		if (r == 0)
			r = output_commit(&targets->outputs[i]);
		if (r < 0) {
			(void)cannot(targets->outputs[i].path, r);
			continue;
		}
		targets->stored[i] = 1;
		count++;
	}
	return count;
}

static int write_all(int fd, const char *text, size_t bytes)
{
	while (bytes > 0) {
		ssize_t put = write(fd, text, bytes);

		if (put < 0 && errno != EINTR)
			return -errno;
		if (put > 0) {
			text += put;
			bytes -= (size_t)put;
		}
	}
	return 0;
}

static int store_summary(struct outputs *targets, const struct summary *summary)
{
	_cleanup_(tm_freep) char *text = NULL;
	size_t bytes = 0;
	int r = summary_text(summary, &text, &bytes);

	if (r == 0)
		r = write_all(targets->summary.fd, text, bytes);
	if (r == 0)
		r = output_commit(&targets->summary);
	targets->summary_stored = r == 0;
	return r < 0 ? cannot(targets->summary.path, r) : 0;
}

int outputs_store(struct outputs *targets, const struct session *session,
		  const struct summary *summary)
{
	size_t stored = store_outputs(targets, session);
	int told = targets->summary_refused;

	if (targets->has_summary && !targets->summary_refused)
		told = store_summary(targets, summary);
	if (stored == 0)
		return EXIT_CODE_FAILED;
	return stored < targets->count || told != 0 ? EXIT_CODE_SOME : 0;
}

void outputs_close(struct outputs *targets)
{
	size_t i;

	for (i = 0; i < targets->count; i++)
		output_discard(&targets->outputs[i]);
	targets->count = 0;
	if (targets->has_summary)
		output_discard(&targets->summary);
	targets->has_summary = 0;
	for (i = 0; i <= OPTIONS_OUTPUTS_MAX; i++) {
		free(targets->names[i]);
		targets->names[i] = NULL;
	}
}
